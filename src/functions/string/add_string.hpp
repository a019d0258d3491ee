#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct add_string {
  static constexpr FunctionInfo info{.name = "add",
                                     .polars = {"operator.Plus"},
                                     .shape = Shape::string,
                                     .arguments = 2,
                                     .doc = "One text after the other; null if one is null.",
                                     .example = "add(\"a\", \"b\") = \"ab\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::string && types.arguments[1].id == TypeId::string;
  }
  static Value emit(const Emit& emit) {
    const Value arguments[] = {emit.builder.text(""), emit.values[0], emit.values[1]};
    return emit.builder.call(emit.functions.id_of("concat_str"), Type::view, arguments, false, emit.text_slot);
  }
#endif
};

}  // namespace frazil::functions
