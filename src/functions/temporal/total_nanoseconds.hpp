#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct total_nanoseconds {
  static constexpr FunctionInfo info{.name = "total_nanoseconds",
                                     .polars = {"temporal.TotalNanoseconds"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A duration in whole nanoseconds, or with their fraction.",
                                     .example = "total_nanoseconds(1d, false) = 86400000000000"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::totals(types); }
  static Value emit(const Emit& emit) { return lower::total_of_duration(emit, 1); }
#endif
};

}  // namespace frazil::functions
