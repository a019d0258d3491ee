#include "primitives/cpu/join_table.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace frazil::primitives::cpu {

namespace {

constexpr int64 kChunk = 1 << 16;  // of rows or places: a task
constexpr int64 kBlock = 512;      // rows that wait for memory together

// Calls f(begin, end) for chunks of `count` things.
template <class F>
void each_chunk(const Parallel& parallel, int64 count, F f) {
  parallel((count + kChunk - 1) / kChunk,
           [&](int64 chunk) { f(chunk * kChunk, std::min((chunk + 1) * kChunk, count)); });
}

}  // namespace

template <class Key>
template <class T>
memory::Buffer JoinTable<Key>::filled(int64 count, T value, const Parallel& parallel) {
  memory::Buffer buffer = pool_->allocate(count * static_cast<int64>(sizeof(T)), who_);
  T* to = buffer.mutable_as<T>();
  each_chunk(parallel, count, [&](int64 begin, int64 end) { std::fill(to + begin, to + end, value); });
  return buffer;
}

template <class Key>
uint32 JoinTable<Key>::insert_dense(uint64 key, uint32 row) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (bits_) {
    std::atomic_ref word(bits_.mutable_as<uint64>()[key >> 6]);
    const uint64 bit = uint64{1} << (key & 63);
    if (!(word.load(kRelaxed) & bit)) word.fetch_or(bit, kRelaxed);
  }
  if (!array_) return row;
  uint32 found = kNoRow;
  std::atomic_ref(array_.mutable_as<uint32>()[key]).compare_exchange_strong(found, row, kRelaxed);
  return found == kNoRow ? row : found;
}

// The row that stands for the key: this one, unless another was first. Several threads may insert at a time.
template <class Key>
uint32 JoinTable<Key>::insert(const Key& key, uint64 hash, uint32 row) {
  constexpr auto kRelaxed = std::memory_order_relaxed;  // keys were there before, and nothing else is read
  if constexpr (std::is_same_v<Key, uint64>) {
    if (dense()) return insert_dense(key, row);
  }
  for (uint64 at = hash & wrap_;; at = (at + 1) & wrap_) {
    std::atomic_ref slot(slots_.mutable_as<Slot>()[at]);
    Slot found = slot.load(kRelaxed);
    if (found == kFree && slot.compare_exchange_strong(found, slot_of(hash, row), kRelaxed)) return row;
    if (found >> 32 == hash >> 32 && same_key(keys_[row_of(found)], key)) return row_of(found);
  }
}

// Calls inserted(row, stands for its key) for each row that has a key.
template <class Key>
template <class F>
void JoinTable<Key>::insert_all(const Parallel& parallel, F inserted) {
  each_chunk(parallel, static_cast<int64>(keys_.size()), [&](int64 begin, int64 end) {
    uint64 hashes[kBlock];
    for (int64 block = begin; block < end; block += kBlock) {
      const int64 last = std::min(block + kBlock, end);
      auto each_key = [&](auto f) {
        for (int64 row = block; row < last; ++row) {
          if (!valid_ || valid_[row >> 6] >> (row & 63) & 1) f(static_cast<uint32>(row), hashes[row - block]);
        }
      };
      each_key([&](uint32 row, uint64& hash) {
        if (dense()) return;
        hash = hash_of(keys_[row]);
        prefetch(hash);
      });
      each_key([&](uint32 row, uint64 hash) { inserted(row, insert(keys_[row], hash, row)); });
    }
  });
}

template <class Key>
void JoinTable<Key>::build(std::span<const Key> keys, const uint64* valid, uint64 key_range, bool all_rows,
                           const Parallel& parallel) {
  keys_ = keys;
  valid_ = valid;
  // An array costs 4 bytes a possible key and keeps the order of clustered probes; slots cost 16 to 32 bytes a row.
  constexpr uint64 kSparse = 8;  // possible keys for each that is there
  if (std::is_same_v<Key, uint64> && key_range > 0 && key_range <= keys.size() * 64 + 4096) {
    range_ = key_range;
    if (all_rows) array_ = filled<uint32>(static_cast<int64>(range_), kNoRow, parallel);
    if (!all_rows || range_ >= keys.size() * kSparse)
      bits_ = filled<uint64>(static_cast<int64>((range_ + 63) / 64), 0, parallel);
  } else {
    const uint64 slots = std::bit_ceil(keys.size() * 2 + 16);
    wrap_ = slots - 1;
    slots_ = filled<Slot>(static_cast<int64>(slots), kFree, parallel);
  }
  std::atomic<bool> unique{true};
  insert_all(parallel, [&](uint32 row, uint32 first) {
    if (row != first) unique.store(false, std::memory_order_relaxed);
  });
  if (!unique && all_rows) make_runs(parallel);
  valid_ = nullptr;  // is needed no more
}

// Rows are counted by the row that stands for their key, placed, and put in order within their run.
template <class Key>
void JoinTable<Key>::make_runs(const Parallel& parallel) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const auto count = static_cast<int64>(keys_.size());
  memory::Buffer first_buffer = filled<uint32>(count, kNoRow, parallel), number = filled<uint32>(count, 0, parallel);
  uint32 *first = first_buffer.mutable_as<uint32>(), *numbers = number.mutable_as<uint32>();
  insert_all(parallel, [&](uint32 row, uint32 stands_for) {
    first[row] = stands_for;
    std::atomic_ref(numbers[stands_for]).fetch_add(1, kRelaxed);
  });
  int64 runs = 0, placed = 0;
  for (int64 row = 0; row < count; ++row) {
    runs += numbers[row] > 0;
    placed += numbers[row];
  }
  start_ = pool_->allocate((runs + 1) * 4, who_);
  rows_ = pool_->allocate(placed * 4, who_);
  memory::Buffer next_buffer = pool_->allocate((runs + 1) * 4, who_);
  uint32 *start = start_.mutable_as<uint32>(), *next = next_buffer.mutable_as<uint32>();
  uint32* rows = rows_.mutable_as<uint32>();
  uint32 run = 0, at = 0;
  for (int64 row = 0; row < count; ++row) {
    if (numbers[row] == 0) continue;
    start[run] = next[run] = at;
    at += numbers[row];
    numbers[row] = run++;
  }
  start[run] = at;
  each_chunk(parallel, count, [&](int64 begin, int64 end) {
    for (int64 row = begin; row < end; ++row) {
      if (first[row] == kNoRow) continue;
      rows[std::atomic_ref(next[numbers[first[row]]]).fetch_add(1, kRelaxed)] = static_cast<uint32>(row);
    }
  });
  each_chunk(parallel, run, [&](int64 begin, int64 end) {
    for (int64 r = begin; r < end; ++r) {
      if (!std::is_sorted(rows + start[r], rows + start[r + 1])) std::sort(rows + start[r], rows + start[r + 1]);
    }
  });
  number_ = std::move(number);
}

template class JoinTable<uint64>;
template class JoinTable<uint128>;
template class JoinTable<program::RegisterView>;

}  // namespace frazil::primitives::cpu
