// One hash for keys, the same on every executor. Top bits choose the partition, low bits the slot.
#pragma once

#include "base/target.hpp"
#include "program/type.hpp"

namespace frazil::primitives {

FZ_HD uint64 mix(uint64 x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ul;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ul;
  return x ^ (x >> 32);
}
// Keys that differ in their low bits alone stay side by side: clustered keys find their slots in few cache lines.
FZ_HD uint64 hash_of(uint64 key) { return (mix(key >> 3) & ~uint64{7}) | (key & 7); }
FZ_HD uint64 hash_of(uint128 key) { return mix(static_cast<uint64>(key) ^ mix(static_cast<uint64>(key >> 64) + 1)); }
FZ_HD uint64 hash_of(const program::RegisterView& key) {
  const char* at = key.data();
  uint64 hash = key.length;
  uint32 rest = key.length;
  uint64 word = 0;
  for (; rest >= 8; rest -= 8, at += 8) {
    __builtin_memcpy(&word, at, 8);
    hash = mix(hash ^ word);
  }
  word = 0;
  __builtin_memcpy(&word, at, rest);
  return mix(hash ^ word);
}

FZ_HD bool same_key(uint64 a, uint64 b) { return a == b; }
FZ_HD bool same_key(uint128 a, uint128 b) { return a == b; }
FZ_HD bool same_key(const program::RegisterView& a, const program::RegisterView& b) {
  return a.length == b.length && __builtin_memcmp(a.data(), b.data(), a.length) == 0;
}

}  // namespace frazil::primitives
