// Text with its letters in another case, as Polars changes them. Host only.
#pragma once

#include <string>
#include <string_view>

#include "base/export.hpp"

namespace frazil::lower {

FRAZIL_API std::string to_lowercase(std::string_view text);
FRAZIL_API std::string to_uppercase(std::string_view text);

}  // namespace frazil::lower
