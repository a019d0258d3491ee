#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct total_hours {
  static constexpr FunctionInfo info{.name = "total_hours",
                                     .polars = {"temporal.TotalHours"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A duration in whole hours, or with their fraction.",
                                     .example = "total_hours(1d, false) = 24"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::totals(types); }
  static Value emit(const Emit& emit) { return lower::total_of_duration(emit, 3'600'000'000'000); }
#endif
};

}  // namespace frazil::functions
