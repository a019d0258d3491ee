#include "memory/pool.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace frazil::memory {

std::shared_ptr<Pool> Pool::create(int64_t limit_bytes) { return std::shared_ptr<Pool>(new Pool(limit_bytes)); }

Relief::~Relief() = default;

bool Pool::try_charge(int64_t bytes) {
  const int64_t used = bytes_in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (limit_bytes_ > 0 && used > limit_bytes_) {
    uncharge(bytes);
    return false;
  }
  for (std::atomic<int64_t>* most : {&bytes_peak_, &bytes_peak_of_part_}) {
    int64_t peak = most->load(std::memory_order_relaxed);
    while (used > peak && !most->compare_exchange_weak(peak, used)) {}
  }
  return true;
}

// Whether anything was given back.
bool Pool::make_room(int64_t bytes) {
  std::lock_guard lock(reliefs_mutex_);
  int64_t missing = bytes_in_use() + bytes - limit_bytes_;  // others may have given back meanwhile
  if (missing <= 0) return true;
  bool any = false;
  for (Relief* relief : reliefs_) {
    const int64_t given = relief->relieve(missing);
    any |= given > 0;
    missing -= given;
    if (missing <= 0) break;
  }
  return any;
}

void Pool::charge(int64_t bytes, std::string_view who) {
  while (!try_charge(bytes)) {
    if (bytes <= limit_bytes_ && make_room(bytes)) continue;
    fail(ErrorKind::out_of_memory, std::string(who) + " needs " + std::to_string(bytes) + " bytes, but only " +
                                       std::to_string(std::max<int64_t>(limit_bytes_ - bytes_in_use(), 0)) + " of " +
                                       std::to_string(limit_bytes_) +
                                       " are free; raise memory_limit or reduce the rows of the query");
  }
}

void Pool::add_relief(Relief* relief) {
  std::lock_guard lock(reliefs_mutex_);
  reliefs_.push_back(relief);
}

void Pool::remove_relief(Relief* relief) {
  std::lock_guard lock(reliefs_mutex_);
  std::erase(reliefs_, relief);
}

void Pool::uncharge(int64_t bytes) { bytes_in_use_.fetch_sub(bytes, std::memory_order_relaxed); }

Buffer Pool::allocate(int64_t bytes, std::string_view who) {
  const int64_t size = Blocks::size_of(bytes + kPadding);
  charge(size, who);
  if (limit_bytes_ > 0 && bytes_in_use() + blocks_.bytes_kept() > limit_bytes_) blocks_.release();
  void* data = blocks_.take(size);
  if (data == nullptr) {
    uncharge(size);
    fail(ErrorKind::out_of_memory,
         std::string(who) + ": the system has no " + std::to_string(bytes) + " bytes left; set memory_limit");
  }
  // The shared_ptr to the pool keeps it alive for results that outlive their engine.
  std::shared_ptr<void> owner(data, [pool = shared_from_this(), size](void* block) {
    pool->blocks_.give(block, size);
    pool->uncharge(size);
  });
  return {std::move(owner), data, bytes, {}, nullptr, true};
}

Buffer Pool::allocate_zeroed(int64_t bytes, std::string_view who) {
  Buffer buffer = allocate(bytes, who);
  std::memset(buffer.mutable_as(), 0, static_cast<size_t>(bytes + kPadding));
  return buffer;
}

Reservation::~Reservation() {
  if (pool_ && bytes_ > 0) pool_->uncharge(bytes_);
}

void Reservation::resize(int64_t bytes) {
  if (bytes > bytes_) pool_->charge(bytes - bytes_, who_);
  if (bytes < bytes_) pool_->uncharge(bytes_ - bytes);
  bytes_ = bytes;
}

void Reservation::swap(Reservation& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(who_, other.who_);
  std::swap(bytes_, other.bytes_);
}

}  // namespace frazil::memory
