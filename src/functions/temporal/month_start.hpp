#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct month_start {
  static constexpr FunctionInfo info{.name = "month_start",
                                     .polars = {"temporal.MonthStart"},
                                     .arguments = 1,
                                     .doc = "The first day of the month, at the same time of day.",
                                     .example = "month_start(2024-02-29) = 2024-02-01"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.arguments[0] == types.result;
  }
  static Value emit(const Emit& emit) {
    lower::DayAndTicks parts = lower::split_moment(emit, emit.values[0], emit.types[0]);
    parts.day = lower::begin_of_months(emit, parts.day, 1);
    return lower::join_moment(emit, parts, emit.types[0]);
  }
#endif
};

}  // namespace frazil::functions
