#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// Casts that cannot fail: to a wider number, to the same number under another name, to a float, between decimals of
// growing scale. All others are refused.
struct cast {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A number in another dtype that holds it; Polars' mode is the payload.",
                                     .example = "cast(1, 0) = 1.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    if (from == to) return lower::widest_type(to) != Type::none;
    if (from.is_integer() && from.id != TypeId::uint128) {
      if (to.id == TypeId::float64 || to.id == TypeId::float32) return true;
      if (to.id == TypeId::decimal) return from.id != TypeId::int128;
      const auto inner = lower::dtype_bounds(from), outer = lower::dtype_bounds(to);
      return to.is_integer() && outer && outer->low <= inner->low && outer->high >= inner->high;
    }
    if (from.id == TypeId::float32) return to.id == TypeId::float64;
    return from.id == TypeId::decimal && to.id == TypeId::decimal && to.scale >= from.scale &&
           to.precision == lower::kDecimalDigits;
  }
  static Value emit(const Emit& emit) {
    const DataType &from = emit.types[0], &to = emit.result;
    const Value& value = emit.values[0];
    if (to.id == TypeId::decimal)
      return lower::rescale_up(emit, value, from.id == TypeId::decimal ? from.scale : 0, to.scale);
    const Type type = lower::widest_type(to);
    return program::is_float(type) ? emit.builder.convert(value, type) : value;
  }
#endif
};

}  // namespace frazil::functions
