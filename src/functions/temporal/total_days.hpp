#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct total_days {
  static constexpr FunctionInfo info{.name = "total_days",
                                     .polars = {"temporal.TotalDays"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A duration in whole days, or with their fraction.",
                                     .example = "total_days(1d, false) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::totals(types); }
  static Value emit(const Emit& emit) { return lower::total_of_duration(emit, 86'400'000'000'000); }
#endif
};

}  // namespace frazil::functions
