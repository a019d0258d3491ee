// Bytes with an owner. A buffer is immutable once shared; its memory is given back by a release callback, so Polars'
// memory, a mapped file and a pool are one case. Not here: who may allocate how much (pool.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/export.hpp"

namespace frazil::memory {

// Where bytes lie. `index` counts devices of a kind.
enum class Kind : uint8_t { host, pinned, device, disk };
struct Place {
  Kind kind = Kind::host;
  int16_t index = 0;
  bool operator==(const Place&) const = default;
};

// Completion of the work that fills a buffer. Host work is complete when its buffer is made, so only devices have one.
class FRAZIL_API Event {
 public:
  virtual ~Event();
  virtual void wait() const = 0;
  virtual bool done() const = 0;
};

constexpr int64_t kAlignment = 64;
constexpr int64_t kPadding = 64;  // readable bytes behind every allocation, so that vector loops may overrun

class FRAZIL_API Buffer {
 public:
  Buffer() = default;
  // `owner` keeps the bytes alive; its deleter is the release callback.
  // `charged`: a pool counts them.
  Buffer(std::shared_ptr<void> owner, void* data, int64_t bytes, Place place = {},
         std::shared_ptr<const Event> ready = nullptr, bool charged = false)
      : owner_(std::move(owner)),
        data_(static_cast<std::byte*>(data)),
        bytes_(bytes),
        place_(place),
        ready_(std::move(ready)),
        charged_(charged) {}

  // Memory that somebody else owns; `release` runs when the last buffer over it goes.
  static Buffer foreign(const void* data, int64_t bytes, std::function<void()> release, Place place = {});

  explicit operator bool() const { return data_ != nullptr; }
  int64_t bytes() const { return bytes_; }
  Place place() const { return place_; }
  bool is_charged() const { return charged_; }
  const std::shared_ptr<const Event>& ready() const { return ready_; }

  template <class T = std::byte>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  // Only the maker writes, before anybody else sees the buffer.
  template <class T = std::byte>
  T* mutable_as() {
    return reinterpret_cast<T*>(data_);
  }
  template <class T>
  std::span<const T> span() const {
    return {as<T>(), static_cast<size_t>(bytes_) / sizeof(T)};
  }
  // A part of the same memory, kept alive by the same owner.
  Buffer slice(int64_t offset, int64_t bytes) const {
    return {owner_, data_ + offset, bytes, place_, ready_, charged_};
  }

 private:
  std::shared_ptr<void> owner_;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  Place place_;
  std::shared_ptr<const Event> ready_;
  bool charged_ = false;
};

}  // namespace frazil::memory
