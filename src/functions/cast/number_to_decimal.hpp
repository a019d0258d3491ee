#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct number_to_decimal {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .failure = "conversion failed: a value does not fit the dtype",
                                     .invalid_operation = true,
                                     .doc = "A whole number, or a decimal of a smaller scale, as a decimal.",
                                     .example = "cast(1, 0) = 1.00"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    const lower::CastMode mode = lower::cast_mode(types);
    const bool is_number =
        from.id == TypeId::decimal ? from.scale <= to.scale : from.is_integer() && from.id != TypeId::uint128;
    return is_number && to.id == TypeId::decimal && (mode == lower::CastMode::raise || mode == lower::CastMode::null);
  }
  static Value emit(const Emit& emit) {
    const int from = emit.types[0].id == TypeId::decimal ? emit.types[0].scale : 0;
    const int digits = emit.result.precision - (emit.result.scale - from);
    const int128 most = digits > 0 ? lower::power_of_ten(digits) - 1 : 0;
    return lower::rescale_up(emit, lower::fit(emit, emit.values[0], {-most, most}), from, emit.result.scale);
  }
#endif
};

}  // namespace frazil::functions
