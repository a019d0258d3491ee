#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct add_duration {
  static constexpr FunctionInfo info{.name = "add",
                                     .polars = {"operator.Plus"},
                                     .arguments = 2,
                                     .doc = "A date, moment or duration and a duration.",
                                     .example = "add(2024-02-29, 1d) = 2024-03-01"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::moments_add(types, false); }
  static Value emit(const Emit& emit) { return lower::sum_of_moments(emit, false); }
#endif
};

}  // namespace frazil::functions
