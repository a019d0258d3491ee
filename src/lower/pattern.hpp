// Regular expressions of Polars, which are those of Rust's regex crate, as RE2 has to be told them to match the same.
// RE2 reads much of it differently without saying so: its \d, \w and \s are of ASCII alone, and `[a&&b]` is a set of
// three characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/export.hpp"

namespace frazil::lower {

// Nothing for what RE2 has no equal pattern for, or what Rust may not take either.
FRAZIL_API std::optional<std::string> re2_pattern(std::string_view rust);

}  // namespace frazil::lower
