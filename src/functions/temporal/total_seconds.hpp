#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct total_seconds {
  static constexpr FunctionInfo info{.name = "total_seconds",
                                     .polars = {"temporal.TotalSeconds"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A duration in whole seconds, or with their fraction.",
                                     .example = "total_seconds(1d, false) = 86400"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::totals(types); }
  static Value emit(const Emit& emit) { return lower::total_of_duration(emit, 1'000'000'000); }
#endif
};

}  // namespace frazil::functions
