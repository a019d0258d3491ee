#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct strip_chars_start {
  static constexpr FunctionInfo info{
      .name = "strip_chars_start",
      .polars = {"string.StripCharsStart"},
      .arguments = 2,
      .doc = "A text without those characters at its begin that another has; null: without white space.",
      .example = "strip_chars_start(\"aba\", \"a\") = \"ba\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::strips(types); }
  static Value emit(const Emit& emit) { return lower::strip_text(emit, 1); }
#endif
};

}  // namespace frazil::functions
