#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct strip_prefix {
  static constexpr FunctionInfo info{.name = "strip_prefix",
                                     .polars = {"string.StripPrefix"},
                                     .shape = Shape::view,
                                     .arguments = 2,
                                     .doc = "A text without another that it begins with.",
                                     .example = "strip_prefix(\"größer\", \"grö\") = \"ßer\""};
  template <class Arguments>
  FZ_HD static RegisterView apply(const Arguments& arguments) {
    const RegisterView &text = arguments.text(0), &part = arguments.text(1);
    if (part.length > text.length) return text;
    const uint32 rest = text.length - part.length;
    return same_bytes(text.data(), part.data(), part.length) ? program::view_of(text.data() + part.length, rest) : text;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_texts(types) && types.result.id == TypeId::string; }
  static Value emit(const Emit& emit) { return emit.builder.call(emit.id, Type::view, emit.values); }
#endif
};

}  // namespace frazil::functions
