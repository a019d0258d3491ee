#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct strip_chars_end {
  static constexpr FunctionInfo info{
      .name = "strip_chars_end",
      .polars = {"string.StripCharsEnd"},
      .arguments = 2,
      .doc = "A text without those characters at its end that another has; null: without white space.",
      .example = "strip_chars_end(\"aba\", \"a\") = \"ab\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::strips(types); }
  static Value emit(const Emit& emit) { return lower::strip_text(emit, 2); }
#endif
};

}  // namespace frazil::functions
