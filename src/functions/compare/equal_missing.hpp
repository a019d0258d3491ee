#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct equal_missing {
  static constexpr FunctionInfo info{.name = "equal_missing",
                                     .polars = {"operator.EqValidity"},
                                     .arguments = 2,
                                     .doc = "Whether both sides are equal; null equals null.",
                                     .example = "equal_missing(null, null) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::comparable(types); }
  static Value emit(const Emit& emit) { return lower::same_or_missing(emit); }
#endif
};

}  // namespace frazil::functions
