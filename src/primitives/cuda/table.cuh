// Hash tables in device memory: open addressing with linear probing, or places by key where keys are dense.
#pragma once

#include "primitives/cuda/row_program.hpp"
#include "primitives/hash.hpp"

namespace frazil::primitives::cuda {

constexpr uint32 kMaxProbes = 1 << 12;  // further than this from its place a key means that the table is full

template <class Key>
__device__ __forceinline__ bool equal_keys(const Key& a, const Key& b) {
  return a == b;
}
__device__ __forceinline__ bool equal_keys(const program::RegisterView& a, const program::RegisterView& b) {
  if (a.length != b.length) return false;
  const char *x = a.data(), *y = b.data();
  for (uint32 i = 0; i < a.length; ++i) {
    if (x[i] != y[i]) return false;
  }
  return true;
}

// The row of a key in a build side, or kNoPlace: from `place`, where row `known` was found.
template <class Key>
__device__ __forceinline__ uint32 follow(const RowSlot& table, const Key& key, uint64 place, uint32 known) {
  const uint64 wrap = table.size - 1;
  const Key* keys = static_cast<const Key*>(table.data);
  while (known != kNoPlace && !equal_keys(keys[place], key)) {
    place = (place + 1) & wrap;
    known = table.state[place];
  }
  return known;
}

// The row that stands for a key in a build side, or kNoPlace.
template <class Key>
__device__ __forceinline__ uint32 look_up(const RowSlot& table, const Key& key) {
  if constexpr (sizeof(Key) == 8) {  // others are never dense
    if (table.dense) return key < table.size ? table.state[key] : kNoPlace;
  }
  const uint64 place = hash_of(key) & (table.size - 1);
  return follow(table, key, place, table.state[place]);
}

// The place of a group's key, taken if it is new.
template <class Key>
__device__ __forceinline__ uint32 find_group(const RowSlot& table, const Key& key, RowOutcome* outcome) {
  if constexpr (sizeof(Key) == 8) {  // others are never dense
    if (table.dense) {
      auto* taken = reinterpret_cast<uint8*>(table.state);
      if (!taken[key]) taken[key] = 1;
      return static_cast<uint32>(key);
    }
  }
  const uint64 wrap = table.size - 1;
  uint64 at = hash_of(key) & wrap;
  if constexpr (sizeof(Key) == 8) {
    if (table.has_sentinel) {
      auto* keys = static_cast<unsigned long long*>(table.data);
      for (uint32 probes = 0; probes < kMaxProbes; ++probes, at = (at + 1) & wrap) {
        const unsigned long long known = keys[at];
        if (known == key) return static_cast<uint32>(at);
        if (known != ~0ull) continue;
        const unsigned long long before = atomicCAS(&keys[at], ~0ull, static_cast<unsigned long long>(key));
        if (before == ~0ull || before == key) return static_cast<uint32>(at);
      }
      outcome->full = 1;
      return 0;
    }
  }
  auto* states = static_cast<volatile uint32*>(table.state);
  for (uint32 probes = 0; probes < kMaxProbes;) {
    const uint32 state = states[at];
    if (state == kTaken) {
      __threadfence();
      if (equal_keys(static_cast<Key*>(table.data)[at], key)) return static_cast<uint32>(at);
      ++probes;
      at = (at + 1) & wrap;
    } else if (state == kFree && atomicCAS(&table.state[at], kFree, kLocked) == kFree) {
      static_cast<Key*>(table.data)[at] = key;
      __threadfence();
      states[at] = kTaken;
      return static_cast<uint32>(at);
    }
  }
  outcome->full = 1;
  return 0;
}

}  // namespace frazil::primitives::cuda
