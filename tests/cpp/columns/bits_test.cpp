#include "columns/bits.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace frazil::columns {
namespace {

// Exactly the bytes that the bits need, so that a sanitizer sees a read past them.
std::vector<uint8> random_bits(int64_t bits, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8> bytes(static_cast<size_t>(bytes_for_bits(bits)));
  for (uint8& byte : bytes) byte = static_cast<uint8>(random());
  return bytes;
}

TEST(Bits, AWordIsLoadedFromAnyBit) {
  std::vector<uint8> bytes = random_bits(200, 1);
  for (int64_t bit = 0; bit < 136; ++bit) {
    for (int count = 0; count <= 64; ++count) {
      uint64 word = load_bits(bytes.data(), bit, count);
      for (int i = 0; i < 64; ++i) EXPECT_EQ(word >> i & 1, i < count && bit_at(bytes.data(), bit + i));
    }
  }
}

TEST(Bits, OnesAreCounted) {
  std::vector<uint8> bytes = random_bits(300, 2);
  for (int64_t bit : {0, 1, 7, 64}) {
    int64_t ones = 0;
    for (int64_t i = bit; i < 300; ++i) ones += bit_at(bytes.data(), i);
    EXPECT_EQ(count_ones(bytes.data(), bit, 300 - bit), ones);
  }
}

TEST(Bits, AppendedBitsLieOneBehindTheOther) {
  std::vector<uint8> bytes = random_bits(500, 3);
  std::vector<uint64> out(static_cast<size_t>(words_for_bits(500 + 70)));
  BitAppender appender(out.data());
  appender.append_all(bytes.data(), 0, 130);
  appender.append_repeated(true, 70);
  appender.append_all(bytes.data(), 130, 3);
  appender.append_all(bytes.data(), 133, 367);
  appender.finish();
  const auto* packed = reinterpret_cast<const uint8*>(out.data());
  for (int64_t i = 0; i < 570; ++i) {
    bool expected = i < 130 ? bit_at(bytes.data(), i) : i < 200 ? true : bit_at(bytes.data(), i - 70);
    EXPECT_EQ(bit_at(packed, i), expected) << i;
  }
}

}  // namespace
}  // namespace frazil::columns
