#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct month_end {
  static constexpr FunctionInfo info{.name = "month_end",
                                     .polars = {"temporal.MonthEnd"},
                                     .arguments = 1,
                                     .doc = "The last day of the month, at the same time of day.",
                                     .example = "month_end(2024-02-01) = 2024-02-29"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.arguments[0] == types.result;
  }
  static Value emit(const Emit& emit) {
    lower::DayAndTicks parts = lower::split_moment(emit, emit.values[0], emit.types[0]);
    const Value next = lower::shift_months(emit, lower::begin_of_months(emit, parts.day, 1), 1);
    parts.day = lower::plus_literal(emit, next, -1);
    return lower::join_moment(emit, parts, emit.types[0]);
  }
#endif
};

}  // namespace frazil::functions
