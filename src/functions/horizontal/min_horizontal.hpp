#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct min_horizontal {
  static constexpr FunctionInfo info{
      .name = "min_horizontal",
      .polars = {"function.min_horizontal"},
      .arguments = -1,
      .doc = "The least of the values that are not null, nor NaN where there are others.",
      .example = "min_horizontal(1, 2) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::have_extremes(types); }
  static Value emit(const Emit& emit) { return lower::extreme_of_row(emit, false); }
#endif
};

}  // namespace frazil::functions
