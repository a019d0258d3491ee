#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct logical_xor {
  static constexpr FunctionInfo info{.name = "xor",
                                     .polars = {"operator.Xor"},
                                     .arguments = 2,
                                     .doc = "Whether one of two truths is true and the other is not.",
                                     .example = "xor(true, false) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_boolean(types); }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const Value &a = emit.values[0], &b = emit.values[1];
    return builder.mask_value(
        builder.mask_or(builder.mask_and_not(a.operand, b.operand), builder.mask_and_not(b.operand, a.operand)),
        builder.mask_and(a.valid, b.valid));
  }
#endif
};

}  // namespace frazil::functions
