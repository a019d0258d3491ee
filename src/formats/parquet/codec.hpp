// Decompression of pages.
#pragma once

#include <span>
#include <string_view>

#include "formats/parquet/metadata.hpp"

namespace frazil::formats {

std::string_view name_of(Codec codec);
bool is_supported(Codec codec);

// Throws compute unless `from` plausibly becomes `bytes` bytes: asked before that many are allocated.
void check_size(Codec codec, std::span<const uint8_t> from, int64_t bytes);
// Fills `to` exactly, or throws compute.
void decompress(Codec codec, std::span<const uint8_t> from, std::span<uint8_t> to);

}  // namespace frazil::formats
