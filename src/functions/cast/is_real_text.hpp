#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "lower/parsing.hpp"
#endif

namespace frazil::functions {

// A step of casts; Polars has no name for it.
struct is_real_text {
  static constexpr FunctionInfo info{.name = "is_real_text",
                                     .polars = {},
                                     .shape = Shape::host,
                                     .arguments = 1,
                                     .to_mask = true,
                                     .doc = "Whether a text is that of a float.",
                                     .example = "is_real_text(\"1e3\") = true"};
#ifdef FZ_HOST
  struct Bound {};
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
  template <class Arguments>
  static bool apply(const Arguments& arguments, const Bound&) {
    const RegisterView& text = arguments.text(0);
    return lower::parse_real({text.data(), text.length}).has_value();
  }
#endif
};

}  // namespace frazil::functions
