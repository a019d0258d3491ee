// Snappy's raw format: pieces that are copied from the input (literals) or from what was written before (copies). Our
// own loop, since most of the time of a scan is spent here: numbers become pairs of a short literal and a short copy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/export.hpp"

namespace frazil::formats {

// The bytes that `from` says to become, if it says so properly.
FRAZIL_API std::optional<int64_t> snappy_bytes(std::span<const uint8_t> from);
// Fills `to` exactly; false: `from` is damaged.
FRAZIL_API bool snappy_decompress(std::span<const uint8_t> from, std::span<uint8_t> to);

}  // namespace frazil::formats
