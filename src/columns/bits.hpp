// Packed bits, least significant first, read and written a word at a time. Reads touch only the bytes that hold the
// bits asked for, since foreign bitmaps have no padding.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/target.hpp"

namespace frazil::columns {

inline int64_t bytes_for_bits(int64_t bits) { return (bits + 7) >> 3; }
inline int64_t words_for_bits(int64_t bits) { return (bits + 63) >> 6; }

inline bool bit_at(const uint8* bytes, int64_t bit) { return bytes[bit >> 3] >> (bit & 7) & 1; }

// A word whose lowest `count` bits (0 to 64) are set.
inline uint64 low_bits(int count) { return count >= 64 ? ~uint64{0} : (uint64{1} << count) - 1; }

// Bits [bit, bit + count), count 0 to 64, in the lowest bits of a word.
inline uint64 load_bits(const uint8* bytes, int64_t bit, int count) {
  const uint8* first = bytes + (bit >> 3);
  int shift = static_cast<int>(bit & 7);
  int bytes_needed = (shift + count + 7) >> 3;
  uint64 word = 0;
  if (bytes_needed >= 8) {
    std::memcpy(&word, first, 8);
    word >>= shift;
    if (bytes_needed == 9) word |= uint64{first[8]} << (64 - shift);
  } else {
    for (int i = 0; i < bytes_needed; ++i) word |= uint64{first[i]} << (8 * i);
    word >>= shift;
  }
  return word & low_bits(count);
}

// Calls `visit(word, first_row, count)` for each run of up to 64 bits of [bit, bit + rows).
template <class Visit>
void for_each_word(const uint8* bytes, int64_t bit, int64_t rows, Visit visit) {
  for (int64_t row = 0; row < rows; row += 64) {
    int count = static_cast<int>(rows - row < 64 ? rows - row : 64);
    visit(load_bits(bytes, bit + row, count), row, count);
  }
}

inline int64_t count_ones(const uint8* bytes, int64_t bit, int64_t rows) {
  int64_t ones = 0;
  for_each_word(bytes, bit, rows, [&](uint64 word, int64_t, int) { ones += std::popcount(word); });
  return ones;
}

// Writes bits one behind the other. The output holds whole words: words_for_bits of all that is appended.
class BitAppender {
 public:
  explicit BitAppender(uint64* out) : out_(out) {}

  // `bits` has nothing set at or above `count`, which is 0 to 64.
  void append(uint64 bits, int count) {
    word_ |= bits << filled_;
    if (filled_ + count < 64) {
      filled_ += count;
      return;
    }
    *out_++ = word_;
    word_ = filled_ > 0 ? bits >> (64 - filled_) : 0;
    filled_ += count - 64;
  }
  void append_all(const uint8* bytes, int64_t bit, int64_t rows) {
    for_each_word(bytes, bit, rows, [&](uint64 word, int64_t, int count) { append(word, count); });
  }
  void append_repeated(bool value, int64_t rows) {
    for (int64_t row = 0; row < rows; row += 64) {
      int count = static_cast<int>(rows - row < 64 ? rows - row : 64);
      append(value ? low_bits(count) : 0, count);
    }
  }
  void finish() {
    if (filled_ > 0) *out_ = word_;
  }

 private:
  uint64* out_;
  uint64 word_ = 0;
  int filled_ = 0;
};

}  // namespace frazil::columns
