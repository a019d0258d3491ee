// Bits of floats that order as the numbers do, with one NaN above all and one zero: what keys and sorts compare.
#pragma once

#include <cstring>

#include "base/target.hpp"

namespace frazil::primitives::cpu {

inline uint64 ordered_bits(double value) {
  if (value != value) return ~0ull;
  if (value == 0) value = 0;
  uint64 bits;
  std::memcpy(&bits, &value, 8);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

inline uint64 ordered_bits(float value) {
  if (value != value) return 0xffffffffu;
  if (value == 0) value = 0;
  uint32 bits;
  std::memcpy(&bits, &value, 4);
  return bits >> 31 ? static_cast<uint32>(~bits) : bits | 1u << 31;
}

}  // namespace frazil::primitives::cpu
