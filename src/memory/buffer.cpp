#include "memory/buffer.hpp"

#include <utility>

namespace frazil::memory {

Event::~Event() = default;

Buffer Buffer::foreign(const void* data, int64_t bytes, std::function<void()> release, Place place) {
  void* bytes_begin = const_cast<void*>(data);
  std::shared_ptr<void> owner(bytes_begin, [release = std::move(release)](void*) {
    if (release) release();
  });
  return {std::move(owner), bytes_begin, bytes, place};
}

}  // namespace frazil::memory
