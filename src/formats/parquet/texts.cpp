#include "formats/parquet/texts.hpp"

#include "base/error.hpp"
#include "formats/parquet/kernels.hpp"

namespace frazil::formats {

void fail_texts() { fail(ErrorKind::compute, "Parquet: the strings of a page are damaged"); }

namespace {

// Bytes of the character that begins with `lead`, and the bounds of the byte behind it, which rule out overlong forms,
// surrogates and what lies above U+10FFFF. 0: none begins so.
struct Form {
  int bytes;
  uint8 low = 0x80, high = 0xbf;
};

Form form_of(uint8 lead) {
  if (lead < 0x80) return {1};
  if (lead < 0xc2) return {0};
  if (lead < 0xe0) return {2};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead < 0xf0) return {3};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead < 0xf4) return {4};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {0};
}

}  // namespace

bool is_utf8(const uint8* bytes, int64 count) {
  for (int64 i = 0; i < count;) {
    const Form form = form_of(bytes[i]);
    if (form.bytes == 0 || form.bytes > count - i) return false;
    if (form.bytes > 1 && (bytes[i + 1] < form.low || bytes[i + 1] > form.high)) return false;
    for (int b = 2; b < form.bytes; ++b) {
      if ((bytes[i + b] & 0xc0) != 0x80) return false;
    }
    i += form.bytes;
  }
  return true;
}

void check_utf8(std::span<const uint8_t> page, int64 count) {
  // Lengths below 128 are ASCII too, so most pages pass at once.
  if (kernels().is_ascii(page.data(), static_cast<int64>(page.size()))) return;
  for_each_text(page, count, [](const uint8* bytes, uint32 length) {
    if (!is_utf8(bytes, length)) fail(ErrorKind::compute, "Parquet: a string is not UTF-8");
  });
}

}  // namespace frazil::formats
