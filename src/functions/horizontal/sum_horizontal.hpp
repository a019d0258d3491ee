#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct sum_horizontal {
  static constexpr FunctionInfo info{
      .name = "sum_horizontal",
      .polars = {"function.sum_horizontal"},
      .arguments = -1,
      .payload = 1,
      .doc = "Sum of the values of a row, from the left; a null counts as zero, or makes a null, as the option says.",
      .example = "sum_horizontal(1, null, true) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::have_sum(types); }
  static Value emit(const Emit& emit) { return lower::sum_of_row(emit, *emit.payload[0].as<bool>()); }
#endif
};

}  // namespace frazil::functions
