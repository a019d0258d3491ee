#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct len_chars {
  static constexpr FunctionInfo info{.name = "len_chars",
                                     .polars = {"string.LenChars"},
                                     .shape = Shape::view,
                                     .arguments = 1,
                                     .doc = "Number of characters of a text.",
                                     .example = "len_chars(\"größer\") = 6"};
  template <class Arguments>
  FZ_HD static int64 apply(const Arguments& arguments) {
    return characters_of(arguments.text(0));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_texts(types) && types.result.id == TypeId::uint32; }
  static Value emit(const Emit& emit) { return lower::number_of_text(emit); }
#endif
};

}  // namespace frazil::functions
