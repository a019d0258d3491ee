#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// A step of what strips; Polars has no name for it.
struct strip {
  static constexpr FunctionInfo info{
      .name = "strip",
      .polars = {},
      .shape = Shape::view,
      .arguments = 3,
      .doc = "A text without characters at its begin (1), its end (2) or both (3); null ones are white space.",
      .example = "strip(\"  a \", null, 3) = \"a\""};
  template <class Arguments>
  FZ_HD static RegisterView apply(const Arguments& arguments) {
    const RegisterView& text = arguments.text(0);
    const auto sides = static_cast<int32>(arguments.whole(2));
    const char* at = text.data();
    uint32 begin = 0, end = text.length;
    while ((sides & 1) && begin < end) {
      const uint32 bytes = character_bytes(text, begin);
      if (!goes(arguments, at + begin, bytes)) break;
      begin += bytes;
    }
    while ((sides & 2) && begin < end) {
      uint32 last = end - 1;
      while (!begins_character(at[last])) --last;
      if (!goes(arguments, at + last, end - last)) break;
      end = last;
    }
    return program::view_of(at + begin, end - begin);
  }
  template <class Arguments>
  FZ_HD static bool goes(const Arguments& arguments, const char* character, uint32 bytes) {
    if (!arguments.valid(1)) return is_whitespace(code_point(character, bytes));
    const RegisterView& some = arguments.text(1);
    for (uint32 at = 0; at < some.length; at += character_bytes(some, at)) {
      if (character_bytes(some, at) == bytes && same_bytes(some.data() + at, character, bytes)) return true;
    }
    return false;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
