// Blocks of host memory. Freed ones of middle sizes are kept for the next who asks, since those of scans come and go by
// the thousand and the system hands out pages slowly. Large ones get huge pages, which tables with random access want.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/export.hpp"

namespace frazil::memory {

class FRAZIL_API Blocks {
 public:
  Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { release(); }

  // What a block for so many bytes takes: those that are kept have few sizes.
  static int64_t size_of(int64_t bytes);

  // 64-byte aligned; `size` comes from size_of. Null: the system has none left.
  void* take(int64_t size);
  void give(void* block, int64_t size);

  int64_t bytes_kept() const { return bytes_kept_; }
  // Gives what is kept back to the system.
  void release();

 private:
  static constexpr int kStepsPerDoubling = 8;
  static constexpr int64_t kLeast = 32 << 10, kMost = 8 << 20;  // of a block that is kept
  static constexpr int kSizes = 8 * kStepsPerDoubling + 1;      // between them

  static bool is_kept(int64_t size) { return size >= kLeast && size <= kMost; }
  static int number_of(int64_t size);

  std::mutex mutex_;
  std::array<std::vector<void*>, kSizes> kept_;  // by size
  std::atomic<int64_t> bytes_kept_ = 0;
};

}  // namespace frazil::memory
