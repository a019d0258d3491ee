#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct is_null {
  static constexpr FunctionInfo info{.name = "is_null",
                                     .polars = {"boolean.IsNull"},
                                     .arguments = 1,
                                     .doc = "Whether a value is null.",
                                     .example = "is_null(null) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::widest_type(types.arguments[0]) != Type::none; }
  static Value emit(const Emit& emit) {
    return emit.builder.mask_value(emit.builder.mask_not(emit.values[0].valid), program::kAll);
  }
#endif
};

}  // namespace frazil::functions
