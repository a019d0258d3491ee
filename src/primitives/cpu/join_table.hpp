// The build side of a join, by key: an array where keys are dense numbers, else a hash table. `find` gives the row of a
// unique key, or the number of a run of rows with that key: see `start` and `rows`. A bitmap of dense keys stands
// before the array where most are missing, and for it where nobody asks for rows.
#pragma once

#include <functional>
#include <span>

#include "base/export.hpp"
#include "memory/pool.hpp"
#include "primitives/hash.hpp"
#include "primitives/move.hpp"

namespace frazil::primitives::cpu {

// Calls work(task) for all tasks below `tasks`, several at a time if there are threads for it.
using Parallel = std::function<void(int64 tasks, const std::function<void(int64 task)>& work)>;

template <class Key>
class FRAZIL_API JoinTable {
 public:
  JoinTable(memory::PoolPtr pool, std::string_view who) : pool_(std::move(pool)), who_(who) {}

  // `keys` outlive the table. `valid` may be null. `key_range`: keys are below it (0: not known). Without `all_rows`
  // one row stands for all with its key.
  void build(std::span<const Key> keys, const uint64* valid, uint64 key_range, bool all_rows, const Parallel& parallel);

  bool unique() const { return !number_; }
  bool dense() const { return range_ > 0; }
  // Not unique: rows of run r are rows()[start()[r]] up to rows()[start()[r + 1]].
  std::span<const uint32> start() const { return start_.span<uint32>(); }
  std::span<const uint32> rows() const { return rows_.span<uint32>(); }

  // Where `find` will look first, unless keys are dense: asked for a whole tile ahead, so that rows wait for memory
  // together.
  void prefetch(uint64 hash) const { __builtin_prefetch(slots_.as<Slot>() + (hash & wrap_)); }

  // Dense keys need no hash.
  uint32 find(const Key& key, uint64 hash) const {
    const uint32 row = find_row(key, hash);
    return row == kNoRow || unique() ? row : number_.as<uint32>()[row];
  }

 private:
  // Above the tag, below a row with this key. A free slot has kNoRow.
  using Slot = uint64;
  static constexpr Slot kFree = ~Slot{0};
  static Slot slot_of(uint64 hash, uint32 row) { return (hash >> 32 << 32) | row; }
  static uint32 row_of(Slot slot) { return static_cast<uint32>(slot); }

  uint32 find_dense(uint64 key) const {
    if (key >= range_) return kNoRow;
    if (bits_ && !(bits_.as<uint64>()[key >> 6] >> (key & 63) & 1)) return kNoRow;
    return array_ ? array_.as<uint32>()[key] : 0;
  }

  uint32 find_row(const Key& key, uint64 hash) const {
    if constexpr (std::is_same_v<Key, uint64>) {
      if (dense()) return find_dense(key);
    }
    for (uint64 at = hash & wrap_;; at = (at + 1) & wrap_) {
      const Slot slot = slots_.as<Slot>()[at];
      if (row_of(slot) == kNoRow) return kNoRow;
      if (slot >> 32 == hash >> 32 && same_key(keys_[row_of(slot)], key)) return row_of(slot);
    }
  }

  template <class T>
  memory::Buffer filled(int64 count, T value, const Parallel& parallel);
  uint32 insert(const Key& key, uint64 hash, uint32 row);
  uint32 insert_dense(uint64 key, uint32 row);
  template <class F>
  void insert_all(const Parallel& parallel, F inserted);
  void make_runs(const Parallel& parallel);

  memory::PoolPtr pool_;
  std::string_view who_;
  std::span<const Key> keys_;
  const uint64* valid_ = nullptr;
  uint64 range_ = 0;       // of dense keys
  uint64 wrap_ = 0;        // slots less one
  memory::Buffer slots_;   // Slot
  memory::Buffer array_;   // uint32: row by key; absent where nobody asks for rows
  memory::Buffer bits_;    // of dense keys that are there
  memory::Buffer number_;  // uint32: the run of a row that stands for its key; absent where keys are unique
  memory::Buffer start_, rows_;
};

extern template class FRAZIL_API JoinTable<uint64>;
extern template class FRAZIL_API JoinTable<uint128>;
extern template class FRAZIL_API JoinTable<program::RegisterView>;

}  // namespace frazil::primitives::cpu
