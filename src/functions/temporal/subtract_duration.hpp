#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct subtract_duration {
  static constexpr FunctionInfo info{
      .name = "subtract",
      .polars = {"operator.Minus"},
      .arguments = 2,
      .doc = "A date, moment or duration less a duration, or what lies between two moments.",
      .example = "subtract(2024-03-01, 1d) = 2024-02-29"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::moments_add(types, true); }
  static Value emit(const Emit& emit) { return lower::sum_of_moments(emit, true); }
#endif
};

}  // namespace frazil::functions
