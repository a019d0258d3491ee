#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// Casts that lose nothing: to a wider number, to the same number under another name, to a float, between decimals of
// growing scale. All others are refused.
struct cast {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .failure = "conversion failed: a decimal needs more than 38 digits",
                                     .invalid_operation = true,
                                     .doc = "A number in another dtype that holds it; Polars' mode is the payload.",
                                     .example = "cast(1, 0) = 1.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    if (from == to || from.id == TypeId::null) return lower::widest_type(to) != Type::none;
    if (to.id == TypeId::decimal) return fits_decimal(from, to) || (raises(types) && becomes_decimal(from, to));
    if (from.is_integer() && from.id != TypeId::uint128) {
      if (to.id == TypeId::float64 || to.id == TypeId::float32) return true;
      const auto inner = lower::dtype_bounds(from), outer = lower::dtype_bounds(to);
      return to.is_integer() && outer && outer->low <= inner->low && outer->high >= inner->high;
    }
    return from.id == TypeId::float32 && to.id == TypeId::float64;
  }
  // What does not fit raises; in Polars' other modes it becomes null.
  static bool raises(const CallTypes& types) {
    const int64_t* mode = types.payload[0].as<int64_t>();
    return mode && *mode == 0;
  }
  static bool becomes_decimal(const DataType& from, const DataType& to) {
    const bool is_number = from.id == TypeId::decimal ? to.scale >= from.scale
                                                      : from.is_integer() && lower::widest_type(from) != Type::none;
    return is_number && from.id != TypeId::int128 && to.precision == lower::kDecimalDigits;
  }
  static bool fits_decimal(const DataType& from, const DataType& to) {
    if (from.id == TypeId::decimal) return from.scale == to.scale && to.precision >= from.precision;
    const auto bounds = from.is_integer() ? lower::dtype_bounds(from) : std::nullopt;
    const int digits = to.precision - to.scale;
    return bounds && bounds->low > -lower::power_of_ten(digits) && bounds->high < lower::power_of_ten(digits);
  }
  static Value emit(const Emit& emit) {
    const DataType &from = emit.types[0], &to = emit.result;
    const Value& value = emit.values[0];
    if (from.id == TypeId::null) return emit.builder.null(lower::widest_type(to));
    if (to.id == TypeId::decimal)
      return lower::rescale_up(emit, value, from.id == TypeId::decimal ? from.scale : 0, to.scale);
    const Type type = lower::widest_type(to);
    return program::is_float(type) ? emit.builder.convert(value, type) : value;
  }
#endif
};

}  // namespace frazil::functions
