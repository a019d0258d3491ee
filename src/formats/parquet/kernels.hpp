// The inner loops of decoding, compiled for two instruction sets. Inputs have memory::kPadding readable bytes behind
// them.
#pragma once

#include "base/export.hpp"
#include "base/target.hpp"

namespace frazil::formats {

// Truncates values to a narrower width after taking the base away. Gives false if one lies outside [low, high];
// what is written for that one has no meaning. Base and bounds are bits of the input's type.
using Narrow = bool (*)(const void* from, int64 count, uint64 base, uint64 low, uint64 high, void* to);

struct Kernels {
  // `groups` times 8 values of `bits` bits (1 to 32), least significant first.
  void (*unpack)(const uint8* from, int64 groups, int bits, uint32* to);
  uint32 (*largest)(const uint32* codes, int64 count);
  // to[i] = values[codes[i]], for values of 1 << width bytes.
  void (*gather[5])(const uint32* codes, int64 count, const void* values, void* to);
  Narrow narrow[2][4];  // from 4 and 8 bytes, to 1 << width bytes
  bool (*is_ascii)(const uint8* bytes, int64 count);
};

// Those for this machine.
const Kernels& kernels();
// 0: for any machine, 1: for AVX2.
FRAZIL_API const Kernels& kernels_of(int level);

}  // namespace frazil::formats
