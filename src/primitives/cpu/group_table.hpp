// Keys to dense group numbers, in the order of their first row. Open addressing, load at most a half.
#pragma once

#include <vector>

#include "memory/pool.hpp"
#include "primitives/cpu/arena.hpp"
#include "primitives/hash.hpp"

namespace frazil::primitives::cpu {

template <class Key>
class GroupTable {
 public:
  GroupTable(memory::PoolPtr pool, std::string_view who) : arena_(pool, who), reservation_(std::move(pool), who) {}

  uint32 size() const { return static_cast<uint32>(keys_.size()); }
  const std::vector<Key>& keys() const { return keys_; }
  const std::vector<uint64>& hashes() const { return hashes_; }
  const Arena& arena() const { return arena_; }

  void prefetch(uint64 hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

  uint32 find_or_insert(const Key& key, uint64 hash) {
    if (keys_.size() * 2 >= slots_.size()) reserve(keys_.size() + 1);
    const uint64 wrap = slots_.size() - 1;
    const uint32 tag = static_cast<uint32>(hash >> 32);
    for (uint64 at = hash & wrap;; at = (at + 1) & wrap) {
      Slot& slot = slots_[at];
      if (slot.group == kFree) {
        slot = {tag, size()};
        keys_.push_back(keep(key));
        hashes_.push_back(hash);
        return slot.group;
      }
      if (slot.tag == tag && same_key(keys_[slot.group], key)) return slot.group;
    }
  }

  // Makes room for so many groups.
  void reserve(size_t groups) {
    size_t slots = std::max<size_t>(slots_.size(), 1024);
    while (groups * 2 > slots) slots *= 2;
    if (slots == slots_.size()) return;
    reservation_.resize(static_cast<int64>(slots * sizeof(Slot) + slots / 2 * (sizeof(Key) + sizeof(uint64))));
    keys_.reserve(slots / 2);
    hashes_.reserve(slots / 2);
    slots_.assign(slots, {0, kFree});
    for (uint32 group = 0; group < size(); ++group) {
      uint64 at = hashes_[group] & (slots - 1);
      while (slots_[at].group != kFree) at = (at + 1) & (slots - 1);
      slots_[at] = {static_cast<uint32>(hashes_[group] >> 32), group};
    }
  }

 private:
  static constexpr uint32 kFree = 0xffffffffu;
  struct Slot {
    uint32 tag;
    uint32 group;
  };

  const Key& keep(const Key& key)
    requires(!std::is_same_v<Key, program::RegisterView>)
  {
    return key;
  }
  Key keep(const Key& key)
    requires(std::is_same_v<Key, program::RegisterView>)
  {
    return arena_.keep(key);
  }

  std::vector<Slot> slots_;
  std::vector<Key> keys_;
  std::vector<uint64> hashes_;
  Arena arena_;
  memory::Reservation reservation_;
};

}  // namespace frazil::primitives::cpu
