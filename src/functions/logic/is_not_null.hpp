#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct is_not_null {
  static constexpr FunctionInfo info{.name = "is_not_null",
                                     .polars = {"boolean.IsNotNull"},
                                     .arguments = 1,
                                     .doc = "Whether a value is not null.",
                                     .example = "is_not_null(null) = false"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::widest_type(types.arguments[0]) != Type::none; }
  static Value emit(const Emit& emit) { return emit.builder.mask_value(emit.values[0].valid, program::kAll); }
#endif
};

}  // namespace frazil::functions
