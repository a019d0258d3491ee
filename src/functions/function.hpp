// What every function file includes. The part for the host (how a call becomes instructions) is left out where the
// file is compiled for a device or for one instruction set.
#pragma once

#include "base/checked.hpp"
#include "base/target.hpp"
#include "plan/signature.hpp"

#ifdef FZ_HOST
#include "base/error.hpp"
#include "lower/moments.hpp"
#include "lower/numbers.hpp"
#include "lower/statistics.hpp"
#include "lower/texts.hpp"

namespace frazil::functions {
using columns::DataType;
using columns::Interval;
using columns::TypeId;
using lower::CallTypes;
using lower::CellKind;
using lower::Emit;
using lower::SegmentedCall;
using program::Builder;
using program::Value;
}  // namespace frazil::functions
#endif

namespace frazil::functions {
using plan::FunctionInfo;
using plan::kFloats;
using plan::kSignedWholes;
using plan::kViews;
using plan::kWholes;
using plan::Shape;
using program::RegisterView;
using program::Type;

// Functions of the shapes view, string and host read a row's arguments from a value of each executor's own type, with
//   int size() const                       how many there are
//   const RegisterView& text(int) const    by number
//   int128 whole(int) const
//   bool valid(int) const                  false only in functions that are told of nulls, see Builder::call

template <class T>
FZ_HD constexpr T decimal_limit() {  // 10^38, only for 128 bits
  T power = 1;
  for (int i = 0; i < 38; ++i) power *= 10;
  return power;
}
template <class T>
FZ_HD bool exceeds_decimal(T value) {
  if constexpr (sizeof(T) < 16) {
    return false;
  } else {
    return value >= decimal_limit<T>() || value <= -decimal_limit<T>();
  }
}

// The product of two numbers, of up to 256 bits, divided by a third that is above zero and rounded half to even. Few
// are that wide: one bit of the quotient at a time.
template <class T>
FZ_HD T round_wide_product(T a, T b, T divided_by, bool& bad) {
  using U = typename Unsigned<T>::U;
  const U x = a < 0 ? U(0) - static_cast<U>(a) : static_cast<U>(a);
  const U y = b < 0 ? U(0) - static_cast<U>(b) : static_cast<U>(b);
  const U half = ~uint64{0}, divisor = static_cast<U>(divided_by);
  const U low = (x & half) * (y & half), left = (x >> 64) * (y & half), right = (x & half) * (y >> 64);
  const U middle = (low >> 64) + (left & half) + (right & half);
  U rest = (x >> 64) * (y >> 64) + (left >> 64) + (right >> 64) + (middle >> 64);
  const U tail = middle << 64 | (low & half);
  bad = rest >= divisor;  // the quotient has more than 128 bits
  if (bad) return 0;
  U quotient = 0;
  for (int bit = 127; bit >= 0; --bit) {
    rest = rest << 1 | (tail >> bit & 1);
    quotient = quotient << 1 | (rest >= divisor);
    if (rest >= divisor) rest -= divisor;
  }
  const U twice = rest << 1;
  quotient += twice > divisor || (twice == divisor && (quotient & 1));
  bad = quotient >= static_cast<U>(decimal_limit<T>());
  return static_cast<T>((a < 0) != (b < 0) ? U(0) - quotient : quotient);
}

FZ_HD int compare_views(const RegisterView& a, const RegisterView& b) {
  const uint32 shared = a.length < b.length ? a.length : b.length;
  const char* x = a.data();
  const char* y = b.data();
  for (uint32 i = 0; i < shared; ++i) {
    const uint8 left = static_cast<uint8>(x[i]), right = static_cast<uint8>(y[i]);
    if (left != right) return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : a.length > b.length ? 1 : 0;
}
FZ_HD bool equal_views(const RegisterView& a, const RegisterView& b) {
  if (a.length != b.length) return false;
  const char* x = a.data();
  const char* y = b.data();
  for (uint32 i = 0; i < a.length; ++i) {
    if (x[i] != y[i]) return false;
  }
  return true;
}

// Text is UTF-8. Each character has one byte that does not continue another.
FZ_HD bool begins_character(char byte) { return (static_cast<uint8>(byte) & 0xc0) != 0x80; }

FZ_HD bool same_bytes(const char* a, const char* b, uint32 bytes) {
  for (uint32 i = 0; i < bytes; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

FZ_HD uint32 characters_of(const RegisterView& text) {
  const char* at = text.data();
  uint32 count = 0;
  for (uint32 i = 0; i < text.length; ++i) count += begins_character(at[i]);
  return count;
}

// Where the text after its first `count` characters begins.
FZ_HD uint32 after_characters(const RegisterView& text, uint64 count) {
  if (count >= text.length) return text.length;
  const char* at = text.data();
  uint32 end = 0;
  for (; end < text.length; ++end) {
    if (begins_character(at[end]) && count-- == 0) break;
  }
  return end;
}
// Where its last `count` characters begin.
FZ_HD uint32 before_characters(const RegisterView& text, uint64 count) {
  if (count >= text.length) return 0;
  const char* at = text.data();
  uint32 end = text.length;
  for (; end > 0 && count > 0; --end) count -= begins_character(at[end - 1]);
  return end;
}

// Bytes of the character that begins at a byte.
FZ_HD uint32 character_bytes(const RegisterView& text, uint32 begin) {
  const char* at = text.data();
  uint32 end = begin + 1;
  while (end < text.length && !begins_character(at[end])) ++end;
  return end - begin;
}
FZ_HD uint32 code_point(const char* at, uint32 bytes) {
  uint32 point = static_cast<uint8>(at[0]) & (bytes == 1 ? 0x7f : 0xff >> (bytes + 1));
  for (uint32 i = 1; i < bytes; ++i) point = point << 6 | (static_cast<uint8>(at[i]) & 0x3f);
  return point;
}
FZ_HD bool is_whitespace(uint32 point) {
  return (point >= 0x09 && point <= 0x0d) || point == 0x20 || point == 0x85 || point == 0xa0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 || point == 0x202f ||
         point == 0x205f || point == 0x3000;
}

// Where a part first lies in a text from a byte on; beyond the text's end where it does not. An empty part lies
// everywhere.
FZ_HD uint32 find_part(const RegisterView& text, uint32 from, const RegisterView& part) {
  if (part.length == 0) return from;
  const char *at = text.data(), *wanted = part.data();
  for (; from + part.length <= text.length; ++from) {
    if (at[from] == wanted[0] && same_bytes(at + from, wanted, part.length)) return from;
  }
  return text.length + 1;
}
// Calls `found` with the first byte of each part, at most so many and none inside of another. Empty parts lie before
// each character and at the end.
template <class Found>
FZ_HD void each_part(const RegisterView& text, const RegisterView& part, uint64 most, Found found) {
  uint32 at = 0;
  for (; most > 0; --most) {
    at = find_part(text, at, part);
    if (at > text.length) return;
    found(at);
    if (part.length > 0) at += part.length;
    else if (at < text.length) at += character_bytes(text, at);
    else return;
  }
}

// Writes a text to `out`; gives where the next one goes.
FZ_HD char* append(char* out, const char* from, uint64 bytes) {
  for (uint64 i = 0; i < bytes; ++i) *out++ = from[i];
  return out;
}
FZ_HD char* append(char* out, const RegisterView& text) { return append(out, text.data(), text.length); }
}  // namespace frazil::functions
