// Rules of functions on text. Host only.
#pragma once

#include "lower/rules.hpp"

namespace frazil::lower {

bool all_texts(const CallTypes& types);
bool is_true(const plan::Option& option);

// A call of a function that counts in text, as the result's dtype has it.
Value number_of_text(const Emit& emit);

// A text without the characters that the second argument has, or without white space: at its begin (1), its end (2), or
// both (3).
bool strips(const CallTypes& types);
Value strip_text(const Emit& emit, int sides);

}  // namespace frazil::lower
