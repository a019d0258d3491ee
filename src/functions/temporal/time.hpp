#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct time {
  static constexpr FunctionInfo info{.name = "time",
                                     .polars = {"temporal.Time"},
                                     .arguments = 1,
                                     .doc = "The time of day of a moment.",
                                     .example = "time(2024-02-29 12:00:00) = 12:00:00"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_time(types.arguments[0]) && types.result.id == TypeId::time;
  }
  static Value emit(const Emit& emit) {
    if (emit.types[0].id == TypeId::time) return emit.values[0];
    const Value ticks = lower::split_moment(emit, emit.values[0], emit.types[0]).ticks;
    return lower::times_literal(emit, ticks, lower::ticks_of_day(emit.result) / lower::ticks_of_day(emit.types[0]));
  }
#endif
};

}  // namespace frazil::functions
