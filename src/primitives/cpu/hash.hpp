// One hash for keys. Top bits choose the partition, low bits the slot.
#pragma once

#include <cstring>

#include "base/target.hpp"
#include "program/type.hpp"

namespace frazil::primitives::cpu {

inline uint64 mix(uint64 x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  return x ^ (x >> 32);
}
inline uint64 hash_of(uint64 key) { return mix(key); }
inline uint64 hash_of(uint128 key) { return mix(static_cast<uint64>(key) ^ mix(static_cast<uint64>(key >> 64) + 1)); }
inline uint64 hash_of(const program::RegisterView& key) {
  const char* at = key.data();
  uint64 hash = key.length;
  uint32 rest = key.length;
  for (; rest >= 8; rest -= 8, at += 8) {
    uint64 word;
    std::memcpy(&word, at, 8);
    hash = mix(hash ^ word);
  }
  uint64 word = 0;
  std::memcpy(&word, at, rest);
  return mix(hash ^ word);
}

inline bool same_key(uint64 a, uint64 b) { return a == b; }
inline bool same_key(uint128 a, uint128 b) { return a == b; }
inline bool same_key(const program::RegisterView& a, const program::RegisterView& b) {
  return a.length == b.length && std::memcmp(a.data(), b.data(), a.length) == 0;
}

}  // namespace frazil::primitives::cpu
