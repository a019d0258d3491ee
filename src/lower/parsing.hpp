// Text that is read as a number, as Polars reads it. Host only.
#pragma once

#include <optional>
#include <string_view>

#include "base/export.hpp"

namespace frazil::lower {

// The float next to what a text writes, infinite beyond all of them; nothing where the text is no number.
FRAZIL_API std::optional<double> parse_real(std::string_view text);

}  // namespace frazil::lower
