#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct scale_duration {
  static constexpr FunctionInfo info{
      .name = "multiply",
      .polars = {"operator.Multiply"},
      .arguments = 2,
      .doc = "A duration so many times; a whole number wraps, and what a float makes too large is null.",
      .example = "multiply(1d, 2) = 2d"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::scales(types); }
  static Value emit(const Emit& emit) { return lower::scaled_duration(emit, "multiply", "multiply"); }
#endif
};

}  // namespace frazil::functions
