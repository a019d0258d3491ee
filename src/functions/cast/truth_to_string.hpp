#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct truth_to_string {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "Truth as a word.",
                                     .example = "cast(true, 0) = \"true\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::boolean && types.result.id == TypeId::string;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    Value word = builder.select({emit.values[0].operand, Type::mask, program::kAll, {}}, builder.text("true"),
                                builder.text("false"));
    word.valid = emit.values[0].valid;
    return word;
  }
#endif
};

}  // namespace frazil::functions
