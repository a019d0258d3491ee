#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct real_to_whole {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .failure = "conversion failed: a value does not fit the dtype",
                                     .invalid_operation = true,
                                     .doc = "A float without its fraction.",
                                     .example = "cast(-1.5, 0) = -1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& from = types.arguments[0];
    const lower::CastMode mode = lower::cast_mode(types);
    return (from.id == TypeId::float32 || from.id == TypeId::float64) && types.result.is_integer() &&
           lower::dtype_bounds(types.result) && types.result.id != TypeId::int128 &&
           (mode == lower::CastMode::raise || mode == lower::CastMode::null);
  }
  static Value emit(const Emit& emit) {
    const Interval bounds = *lower::dtype_bounds(emit.result);
    const Value fits = lower::fit_real(emit, emit.values[0], bounds);
    Value whole = emit.builder.convert(fits, lower::widest_type(emit.result));
    whole.interval = bounds;
    return whole;
  }
#endif
};

}  // namespace frazil::functions
