#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct strip_chars {
  static constexpr FunctionInfo info{
      .name = "strip_chars",
      .polars = {"string.StripChars"},
      .arguments = 2,
      .doc = "A text without those characters at both ends that another has; null: without white space.",
      .example = "strip_chars(\"aba\", \"a\") = \"b\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::strips(types); }
  static Value emit(const Emit& emit) { return lower::strip_text(emit, 3); }
#endif
};

}  // namespace frazil::functions
