// Host memory with a limit. An engine has one pool; every byte that a query holds is charged to it, so that
// bytes_in_use() is 0 when no query runs and no result is alive; what is kept for the next query is not in use. Foreign
// memory is not charged.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/export.hpp"
#include "memory/blocks.hpp"
#include "memory/buffer.hpp"

namespace frazil::memory {

// Somebody who holds memory that can be given back for a while.
class FRAZIL_API Relief {
 public:
  virtual ~Relief();
  // Gives back about `bytes` or as much as there is; 0 if that is nothing. Charges nothing, and waits for nobody who
  // may. What others still read is only given back when they are done.
  virtual int64_t relieve(int64_t bytes) = 0;
};

class FRAZIL_API Pool : public std::enable_shared_from_this<Pool> {
 public:
  // `limit_bytes` 0: no limit.
  static std::shared_ptr<Pool> create(int64_t limit_bytes);

  int64_t limit_bytes() const { return limit_bytes_; }
  int64_t bytes_in_use() const { return bytes_in_use_.load(std::memory_order_relaxed); }
  int64_t bytes_peak() const { return bytes_peak_.load(std::memory_order_relaxed); }
  void reset_peak() { bytes_peak_.store(bytes_in_use()); }
  // The same for a part of a query. Of parts of several queries at once the last one to begin counts.
  int64_t bytes_peak_of_part() const { return bytes_peak_of_part_.load(std::memory_order_relaxed); }
  void begin_part() { bytes_peak_of_part_.store(bytes_in_use()); }

  // Charges `bytes`, once others have made room if need be, or throws out_of_memory with the operator, the bytes wanted
  // and free, and what to change.
  void charge(int64_t bytes, std::string_view who);
  void uncharge(int64_t bytes);

  void add_relief(Relief* relief);
  void remove_relief(Relief* relief);

  // 64-byte aligned and padded; charged until the last buffer over it goes.
  Buffer allocate(int64_t bytes, std::string_view who);
  Buffer allocate_zeroed(int64_t bytes, std::string_view who);

 private:
  explicit Pool(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  bool try_charge(int64_t bytes);
  bool make_room(int64_t bytes);
  const int64_t limit_bytes_;
  Blocks blocks_;
  std::atomic<int64_t> bytes_in_use_{0};
  std::atomic<int64_t> bytes_peak_{0};
  std::atomic<int64_t> bytes_peak_of_part_{0};
  std::mutex reliefs_mutex_;
  std::vector<Relief*> reliefs_;
};

using PoolPtr = std::shared_ptr<Pool>;

// Bytes promised before they are allocated: state that grows in place (hash tables, accumulators) holds one and
// enlarges it ahead of each growth. Moves; gives back on destruction.
class FRAZIL_API Reservation {
 public:
  Reservation() = default;
  Reservation(PoolPtr pool, std::string_view who) : pool_(std::move(pool)), who_(who) {}
  Reservation(Reservation&& other) noexcept { swap(other); }
  Reservation& operator=(Reservation&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Reservation();

  int64_t bytes() const { return bytes_; }
  void resize(int64_t bytes);  // throws out_of_memory and keeps what it had

 private:
  void swap(Reservation& other) noexcept;
  PoolPtr pool_;
  std::string_view who_ = "";
  int64_t bytes_ = 0;
};

}  // namespace frazil::memory
