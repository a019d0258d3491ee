// Characters that live as long as a table: views point here. Blocks never move.
#pragma once

#include <cstring>
#include <vector>

#include "memory/pool.hpp"
#include "program/type.hpp"

namespace frazil::primitives::cpu {

class Arena {
 public:
  Arena(memory::PoolPtr pool, std::string_view who) : pool_(std::move(pool)), who_(who) {}

  char* allocate(int64 bytes) {
    if (bytes > left_) {
      left_ = bytes > kBlock ? bytes : kBlock;
      blocks_.push_back(pool_->allocate(left_, who_));
      at_ = blocks_.back().mutable_as<char>();
    }
    char* begin = at_;
    at_ += bytes;
    left_ -= bytes;
    return begin;
  }
  // The same text, owned here; short texts need no memory.
  program::RegisterView keep(const program::RegisterView& view) {
    if (view.length <= program::RegisterView::kInline) return view;
    char* to = allocate(view.length);
    std::memcpy(to, view.address, view.length);
    program::RegisterView kept = view;
    kept.address = to;
    return kept;
  }
  // Forgets everything but the newest block, for scratch use.
  void reset() {
    if (blocks_.empty()) return;
    std::swap(blocks_.front(), blocks_.back());
    blocks_.resize(1);
    at_ = blocks_[0].mutable_as<char>();
    left_ = blocks_[0].bytes();
  }
  const std::vector<memory::Buffer>& blocks() const { return blocks_; }

 private:
  static constexpr int64 kBlock = 64 << 10;
  memory::PoolPtr pool_;
  std::string_view who_;
  std::vector<memory::Buffer> blocks_;
  char* at_ = nullptr;
  int64 left_ = 0;
};

using program::view_of;

}  // namespace frazil::primitives::cpu
