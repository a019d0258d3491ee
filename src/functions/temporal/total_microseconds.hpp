#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct total_microseconds {
  static constexpr FunctionInfo info{.name = "total_microseconds",
                                     .polars = {"temporal.TotalMicroseconds"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A duration in whole microseconds, or with their fraction.",
                                     .example = "total_microseconds(1d, false) = 86400000000"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::totals(types); }
  static Value emit(const Emit& emit) { return lower::total_of_duration(emit, 1'000); }
#endif
};

}  // namespace frazil::functions
