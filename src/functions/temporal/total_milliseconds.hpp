#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct total_milliseconds {
  static constexpr FunctionInfo info{.name = "total_milliseconds",
                                     .polars = {"temporal.TotalMilliseconds"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A duration in whole milliseconds, or with their fraction.",
                                     .example = "total_milliseconds(1d, false) = 86400000"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::totals(types); }
  static Value emit(const Emit& emit) { return lower::total_of_duration(emit, 1'000'000); }
#endif
};

}  // namespace frazil::functions
