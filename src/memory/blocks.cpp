#include "memory/blocks.hpp"

#include <sys/mman.h>

#include <bit>
#include <cstdlib>

#include "memory/buffer.hpp"

namespace frazil::memory {

namespace {

constexpr int64_t kHugePage = 2 << 20;

#ifdef __SANITIZE_ADDRESS__
constexpr int64_t kKeptMost = 0;  // it finds more when every block is new
#else
constexpr int64_t kKeptMost = 64 << 20;
#endif

void* from_system(int64_t size) {
  const bool is_huge = size >= 2 * kHugePage && size % kHugePage == 0;
  void* block = std::aligned_alloc(static_cast<size_t>(is_huge ? kHugePage : kAlignment), static_cast<size_t>(size));
  if (block && is_huge) madvise(block, static_cast<size_t>(size), MADV_HUGEPAGE);  // a wish: it may fail
  return block;
}

}  // namespace

// Sizes of a doubling are its eighths.
int64_t Blocks::size_of(int64_t bytes) {
  if (bytes > kMost) return (bytes + kHugePage - 1) / kHugePage * kHugePage;
  const int64_t step = bytes <= kLeast
                           ? kAlignment
                           : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes - 1))) / kStepsPerDoubling;
  return (bytes + step - 1) / step * step;
}

int Blocks::number_of(int64_t size) {
  const int64_t below = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size)));
  const int doublings = std::countr_zero(static_cast<uint64_t>(below / kLeast));
  return doublings * kStepsPerDoubling + static_cast<int>((size - below) / (below / kStepsPerDoubling));
}

void* Blocks::take(int64_t size) {
  if (is_kept(size)) {
    std::lock_guard lock(mutex_);
    std::vector<void*>& blocks = kept_[static_cast<size_t>(number_of(size))];
    if (!blocks.empty()) {
      void* block = blocks.back();
      blocks.pop_back();
      bytes_kept_ -= size;
      return block;
    }
  }
  void* block = from_system(size);
  if (block || bytes_kept() == 0) return block;
  release();
  return from_system(size);
}

void Blocks::give(void* block, int64_t size) {
  if (is_kept(size)) {
    std::lock_guard lock(mutex_);
    if (bytes_kept_ + size <= kKeptMost) {
      kept_[static_cast<size_t>(number_of(size))].push_back(block);
      bytes_kept_ += size;
      return;
    }
  }
  std::free(block);
}

void Blocks::release() {
  std::lock_guard lock(mutex_);
  for (std::vector<void*>& blocks : kept_) {
    for (void* block : blocks) std::free(block);
    blocks.clear();
  }
  bytes_kept_ = 0;
}

}  // namespace frazil::memory
