#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct total_minutes {
  static constexpr FunctionInfo info{.name = "total_minutes",
                                     .polars = {"temporal.TotalMinutes"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A duration in whole minutes, or with their fraction.",
                                     .example = "total_minutes(1d, false) = 1440"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::totals(types); }
  static Value emit(const Emit& emit) { return lower::total_of_duration(emit, 60'000'000'000); }
#endif
};

}  // namespace frazil::functions
