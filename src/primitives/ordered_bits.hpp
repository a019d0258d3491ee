// Bits of floats that order as the numbers do, with one NaN above all and one zero: what keys and sorts compare.
#pragma once

#include "base/target.hpp"

namespace frazil::primitives {

FZ_HD uint64 ordered_bits(double value) {
  if (value != value) return ~uint64{0};
  if (value == 0) value = 0;
  uint64 bits = 0;
  __builtin_memcpy(&bits, &value, 8);
  return bits >> 63 ? ~bits : bits | uint64{1} << 63;
}

FZ_HD uint64 ordered_bits(float value) {
  if (value != value) return 0xffffffffu;
  if (value == 0) value = 0;
  uint32 bits = 0;
  __builtin_memcpy(&bits, &value, 4);
  return bits >> 31 ? static_cast<uint32>(~bits) : bits | 1u << 31;
}

// The number again.
FZ_HD double float_of(uint64 bits, double) {
  if (bits == ~uint64{0}) return __builtin_nan("");
  bits = bits >> 63 ? bits & ~(uint64{1} << 63) : ~bits;
  double value = 0;
  __builtin_memcpy(&value, &bits, 8);
  return value;
}
FZ_HD float float_of(uint64 bits, float) {
  uint32 narrow = static_cast<uint32>(bits);
  if (narrow == ~uint32{0}) return __builtin_nanf("");
  narrow = narrow >> 31 ? narrow & ~(1u << 31) : ~narrow;
  float value = 0;
  __builtin_memcpy(&value, &narrow, 4);
  return value;
}

}  // namespace frazil::primitives
