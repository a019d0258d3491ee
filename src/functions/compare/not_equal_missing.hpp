#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct not_equal_missing {
  static constexpr FunctionInfo info{.name = "not_equal_missing",
                                     .polars = {"operator.NotEqValidity"},
                                     .arguments = 2,
                                     .doc = "Whether the sides differ; null equals null.",
                                     .example = "not_equal_missing(null, 1) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::comparable(types); }
  static Value emit(const Emit& emit) {
    return emit.builder.mask_value(emit.builder.mask_not(lower::same_or_missing(emit).operand), program::kAll);
  }
#endif
};

}  // namespace frazil::functions
