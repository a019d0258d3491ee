#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "lower/letters.hpp"
#endif

namespace frazil::functions {

struct to_uppercase {
  static constexpr FunctionInfo info{.name = "to_uppercase",
                                     .polars = {"string.Uppercase"},
                                     .shape = Shape::host,
                                     .arguments = 1,
                                     .doc = "A text with all letters in upper case, by the rules of Unicode.",
                                     .example = "to_uppercase(\"größer\") = \"GRÖSSER\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_texts(types) && types.result.id == TypeId::string; }
  static Value emit(const Emit& emit) {
    return emit.builder.call(emit.id, Type::view, emit.values, false, emit.text_slot);
  }
  template <class Arguments>
  static std::string apply(const Arguments& arguments) {
    const RegisterView& text = arguments.text(0);
    return lower::to_uppercase({text.data(), text.length});
  }
#endif
};

}  // namespace frazil::functions
