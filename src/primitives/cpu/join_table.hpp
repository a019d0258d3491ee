// The build side of a join, by key: an array where keys are dense numbers, else a hash table. `find` gives the row of a
// unique key, or the number of a run of rows with that key: see `start` and `rows`.
#pragma once

#include <span>
#include <vector>

#include "memory/pool.hpp"
#include "primitives/hash.hpp"
#include "primitives/move.hpp"

namespace frazil::primitives::cpu {

template <class Key>
class JoinTable {
 public:
  JoinTable(memory::PoolPtr pool, std::string_view who) : reservation_(std::move(pool), who) {}

  // `keys` outlive the table. `valid` may be null. `key_range`: keys are below it (0: not known).
  void build(std::span<const Key> keys, const uint64* valid, uint64 key_range);

  bool unique() const { return unique_; }
  bool dense() const { return !array_.empty(); }
  // Not unique: rows of run r are rows()[start()[r]] up to rows()[start()[r + 1]].
  const std::vector<uint32>& start() const { return start_; }
  const std::vector<uint32>& rows() const { return rows_; }

  // Where `find` will look first: asked for a whole tile ahead, so that rows wait for memory together.
  void prefetch(const Key& key, uint64 hash) const {
    if constexpr (std::is_same_v<Key, uint64>) {
      if (!array_.empty()) return __builtin_prefetch(&array_[key < array_.size() ? key : 0]);
    }
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

  uint32 find(const Key& key, uint64 hash) const {
    if constexpr (std::is_same_v<Key, uint64>) {
      if (!array_.empty()) return key < array_.size() ? array_[key] : kNoRow;
    }
    if (slots_.empty()) return kNoRow;
    const uint64 wrap = slots_.size() - 1;
    for (uint64 at = hash & wrap;; at = (at + 1) & wrap) {
      const Slot& slot = slots_[at];
      if (slot.number == kNoRow) return kNoRow;
      if (slot.tag == static_cast<uint32>(hash >> 32) && same_key(keys_[slot.row], key)) return slot.number;
    }
  }

 private:
  struct Slot {
    uint32 tag;
    uint32 row;     // one row with this key
    uint32 number;  // what find gives
  };
  uint32& number_of(const Key& key, uint32 row);

  std::span<const Key> keys_;
  std::vector<Slot> slots_;
  std::vector<uint32> array_;
  std::vector<uint32> start_, rows_;
  bool unique_ = true;
  memory::Reservation reservation_;
};

extern template class JoinTable<uint64>;
extern template class JoinTable<uint128>;
extern template class JoinTable<program::RegisterView>;

}  // namespace frazil::primitives::cpu
