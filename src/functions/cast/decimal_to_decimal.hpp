#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct decimal_to_decimal {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .failure = "conversion failed: a value does not fit the dtype",
                                     .invalid_operation = true,
                                     .doc = "A decimal of a smaller scale, rounded half to even, or of fewer digits.",
                                     .example = "cast(1.25, 0) = 1.2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    const lower::CastMode mode = lower::cast_mode(types);
    return from.id == TypeId::decimal && to.id == TypeId::decimal && to.scale <= from.scale &&
           (mode == lower::CastMode::raise || mode == lower::CastMode::null);
  }
  static Value emit(const Emit& emit) {
    Value value = emit.values[0];
    if (const int dropped = emit.types[0].scale - emit.result.scale; dropped > 0)
      value = lower::round_decimal(emit, value, dropped);
    const int128 most = lower::power_of_ten(emit.result.precision) - 1;
    return lower::fit(emit, value, {-most, most});
  }
#endif
};

}  // namespace frazil::functions
