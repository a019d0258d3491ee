#include "primitives/cpu/join_table.hpp"

#include <bit>

namespace frazil::primitives::cpu {

// The number stored for a key; kNoRow if the key is new.
template <class Key>
uint32& JoinTable<Key>::number_of(const Key& key, uint32 row) {
  if constexpr (std::is_same_v<Key, uint64>) {
    if (!array_.empty()) return array_[key];
  }
  const uint64 hash = hash_of(key), wrap = slots_.size() - 1;
  for (uint64 at = hash & wrap;; at = (at + 1) & wrap) {
    Slot& slot = slots_[at];
    if (slot.number == kNoRow) {
      slot.tag = static_cast<uint32>(hash >> 32);
      slot.row = row;
      return slot.number;
    }
    if (slot.tag == static_cast<uint32>(hash >> 32) && same_key(keys_[slot.row], key)) return slot.number;
  }
}

template <class Key>
void JoinTable<Key>::build(std::span<const Key> keys, const uint64* valid, uint64 key_range) {
  keys_ = keys;
  auto each_key = [&](auto f) {
    for (uint32 row = 0; row < keys.size(); ++row) {
      if (!valid || valid[row >> 6] >> (row & 63) & 1) f(row);
    }
  };
  // An array costs 4 bytes a possible key and keeps the order of clustered probes; a slot costs 24 bytes a row.
  const bool dense = std::is_same_v<Key, uint64> && key_range > 0 && key_range <= keys.size() * 64 + 4096;
  if (dense) {
    reservation_.resize(static_cast<int64>(key_range * 4));
    array_.assign(key_range, kNoRow);
  } else {
    const uint64 slots = std::bit_ceil(keys.size() * 2 + 16);
    reservation_.resize(static_cast<int64>(slots * sizeof(Slot)));
    slots_.assign(slots, {0, 0, kNoRow});
  }
  each_key([&](uint32 row) {
    uint32& number = number_of(keys[row], row);
    if (number != kNoRow) {
      unique_ = false;
    } else {
      number = row;
    }
  });
  if (unique_) return;
  // Runs, in two passes: the first row of a key names its run, then rows are counted and placed in row order.
  reservation_.resize(reservation_.bytes() + static_cast<int64>(keys.size()) * 12);
  std::vector<uint32> run_of(keys.size(), kNoRow);
  uint32 runs = 0;
  each_key([&](uint32 row) {
    uint32& number = number_of(keys[row], row);
    if (number == row) run_of[row] = runs++;
  });
  start_.assign(runs + 1, 0);
  each_key([&](uint32 row) {
    run_of[row] = run_of[number_of(keys[row], row)];
    ++start_[run_of[row] + 1];
  });
  for (uint32 r = 0; r < runs; ++r) start_[r + 1] += start_[r];
  rows_.resize(start_[runs]);
  std::vector<uint32> next(start_.begin(), start_.end() - 1);
  each_key([&](uint32 row) { rows_[next[run_of[row]]++] = row; });
  // Only now may the tables name runs instead of rows.
  each_key([&](uint32 row) {
    if (rows_[start_[run_of[row]]] == row) number_of(keys[row], row) = run_of[row];
  });
}

template class JoinTable<uint64>;
template class JoinTable<uint128>;
template class JoinTable<program::RegisterView>;

}  // namespace frazil::primitives::cpu
