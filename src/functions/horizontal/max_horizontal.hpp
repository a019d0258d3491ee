#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct max_horizontal {
  static constexpr FunctionInfo info{
      .name = "max_horizontal",
      .polars = {"function.max_horizontal"},
      .arguments = -1,
      .doc = "The largest of the values that are not null, nor NaN where there are others.",
      .example = "max_horizontal(1, 2) = 2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::have_extremes(types); }
  static Value emit(const Emit& emit) { return lower::extreme_of_row(emit, true); }
#endif
};

}  // namespace frazil::functions
