// Byte arrays as PLAIN pages have them: a length, then the bytes.
#pragma once

#include <span>
#include <string_view>

#include "base/export.hpp"
#include "base/target.hpp"

namespace frazil::formats {

// Throws compute: a page with byte arrays.
[[noreturn]] void fail_texts();

// Calls visit(bytes, length) for `count` byte arrays; throws compute where they go on behind the end.
template <class Visit>
inline void for_each_text(std::span<const uint8_t> page, int64 count, Visit visit) {
  const uint8* at = page.data();
  const uint8* end = at + page.size();
  for (int64 i = 0; i < count; ++i) {
    if (end - at < 4) fail_texts();
    uint32 length;
    __builtin_memcpy(&length, at, sizeof length);
    at += sizeof length;
    if (length > end - at || length > 0x7fffffff) fail_texts();
    visit(at, length);
    at += length;
  }
}

// The same for arrays that all have `bytes` bytes, and no lengths before them; 0: they have lengths.
template <class Visit>
inline void for_each_array(std::span<const uint8_t> page, int64 count, int64 bytes, Visit visit) {
  if (bytes == 0) return for_each_text(page, count, visit);
  if (count > static_cast<int64>(page.size()) / bytes) fail_texts();
  for (int64 i = 0; i < count; ++i) visit(page.data() + i * bytes, static_cast<uint32>(bytes));
}

FRAZIL_API bool is_utf8(const uint8* bytes, int64 count);

// Throws compute unless all of the page's byte arrays are UTF-8.
void check_utf8(std::span<const uint8_t> page, int64 count);

}  // namespace frazil::formats
