#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct cast_time_unit {
  static constexpr FunctionInfo info{.name = "cast_time_unit",
                                     .polars = {"temporal.CastTimeUnit"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A moment or duration in another unit.",
                                     .example = "cast_time_unit(1500us, \"ms\") = 1ms"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    return from.id == to.id && (from.id == TypeId::duration || (from.id == TypeId::datetime && from.zone.empty()));
  }
  static Value emit(const Emit& emit) { return lower::as_moment(emit, 0, emit.result); }
#endif
};

}  // namespace frazil::functions
