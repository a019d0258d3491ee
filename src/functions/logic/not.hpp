#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct logical_not {
  static constexpr FunctionInfo info{.name = "not",
                                     .polars = {"boolean.Not"},
                                     .arguments = 1,
                                     .doc = "The other truth; null stays null.",
                                     .example = "not(true) = false"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_boolean(types); }
  static Value emit(const Emit& emit) {
    return emit.builder.mask_value(emit.builder.mask_not(emit.values[0].operand), emit.values[0].valid);
  }
#endif
};

}  // namespace frazil::functions
