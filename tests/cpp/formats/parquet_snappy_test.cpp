#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "formats/parquet/snappy.hpp"

namespace frazil::formats {
namespace {

// Writes pieces, and what they become byte by byte.
class PieceWriter {
 public:
  void literal(const std::vector<uint8_t>& text) {
    const auto last = static_cast<uint32_t>(text.size() - 1);
    int bytes = 0;
    if (last >= 60) {
      bytes = last < 1 << 8 ? 1 : last < 1 << 16 ? 2 : last < 1 << 24 ? 3 : 4;
      pieces.push_back(static_cast<uint8_t>((59 + bytes) << 2));
    } else {
      pieces.push_back(static_cast<uint8_t>(last << 2));
    }
    put(last, bytes);
    pieces.insert(pieces.end(), text.begin(), text.end());
    whole.insert(whole.end(), text.begin(), text.end());
  }
  // `kind`: 1, 2 or 3.
  void copy(int kind, uint32_t offset, uint32_t length) {
    if (kind == 1) {
      pieces.push_back(static_cast<uint8_t>(offset >> 8 << 5 | (length - 4) << 2 | 1));
      put(offset & 0xff, 1);
    } else {
      pieces.push_back(static_cast<uint8_t>((length - 1) << 2 | static_cast<uint32_t>(kind)));
      put(offset, kind == 2 ? 2 : 4);
    }
    for (uint32_t k = 0; k < length; ++k) whole.push_back(whole[whole.size() - offset]);
  }
  // With the size in front.
  std::vector<uint8_t> bytes(size_t size) const {
    std::vector<uint8_t> all;
    for (; size >= 0x80; size >>= 7) all.push_back(static_cast<uint8_t>(size | 0x80));
    all.push_back(static_cast<uint8_t>(size));
    all.insert(all.end(), pieces.begin(), pieces.end());
    return all;
  }
  std::vector<uint8_t> bytes() const { return bytes(whole.size()); }

  std::vector<uint8_t> pieces, whole;

 private:
  void put(uint32_t number, int bytes) {
    for (int b = 0; b < bytes; ++b) pieces.push_back(static_cast<uint8_t>(number >> (8 * b)));
  }
};

std::vector<uint8_t> decompressed(const std::vector<uint8_t>& from) {
  std::vector<uint8_t> to(static_cast<size_t>(snappy_bytes(from).value()));
  EXPECT_TRUE(snappy_decompress(from, to));
  return to;
}

TEST(Snappy, pieces_of_all_kinds_and_lengths) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    PieceWriter writer;
    const int pieces = static_cast<int>(random() % 300);
    for (int p = 0; p < pieces; ++p) {
      const auto size = static_cast<uint32_t>(writer.whole.size());
      const int kind = size == 0 ? 0 : static_cast<int>(random() % 4);
      if (kind == 0) {
        const uint32_t lengths[] = {1 + static_cast<uint32_t>(random() % 5), 1 + static_cast<uint32_t>(random() % 70),
                                    300, 70'000};
        std::vector<uint8_t> text(lengths[random() % (round % 40 == 0 ? 4 : 3)]);
        for (uint8_t& byte : text) byte = static_cast<uint8_t>(random());
        writer.literal(text);
      } else {
        uint32_t offset = 1 + static_cast<uint32_t>(random() % (random() % 2 ? std::min(size, 20u) : size));
        if (kind == 1) offset = std::min(offset, 2047u);
        if (kind == 2) offset = std::min(offset, 65'535u);
        const auto length = static_cast<uint32_t>(kind == 1 ? 4 + random() % 8 : 1 + random() % 64);
        writer.copy(kind, offset, length);
      }
    }
    EXPECT_EQ(decompressed(writer.bytes()), writer.whole);
  }
}

TEST(Snappy, every_offset_with_every_length) {
  for (uint32_t offset = 1; offset <= 40; ++offset) {
    for (uint32_t length = 1; length <= 64; ++length) {
      for (size_t behind : {0, 1, 15, 16, 100}) {
        PieceWriter writer;
        std::vector<uint8_t> text(40), rest(behind, 7);
        for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<uint8_t>(i + 100);
        writer.literal(text);
        writer.copy(2, offset, length);
        if (behind) writer.literal(rest);
        ASSERT_EQ(decompressed(writer.bytes()), writer.whole) << offset << " " << length << " " << behind;
      }
    }
  }
}

TEST(Snappy, damaged_bytes_are_refused) {
  auto fails = [](const std::vector<uint8_t>& from, size_t size) {
    std::vector<uint8_t> to(size);
    return !snappy_decompress(from, to);
  };
  PieceWriter writer;
  writer.literal({1, 2, 3, 4, 5});
  writer.copy(2, 5, 30);
  writer.literal({1, 2, 3, 4, 5});
  EXPECT_FALSE(fails(writer.bytes(), 40));
  EXPECT_TRUE(fails(writer.bytes(39), 39));
  EXPECT_TRUE(fails(writer.bytes(41), 41));
  EXPECT_TRUE(fails(writer.bytes(), 41));
  for (size_t size = 0; size < writer.bytes().size(); ++size) {
    std::vector<uint8_t> cut = writer.bytes();
    cut.resize(size);
    EXPECT_TRUE(fails(cut, 40)) << size;
  }
  for (uint8_t offset : {0, 6, 200}) {  // nothing, and before the front
    EXPECT_TRUE(fails({9, 4 << 2, 1, 2, 3, 4, 5, 1, offset}, 9)) << int{offset};
    EXPECT_TRUE(fails({69, 4 << 2, 1, 2, 3, 4, 5, 63 << 2 | 2, offset, 0}, 69)) << int{offset};
  }
  EXPECT_TRUE(fails({1, 63 << 2, 255, 255, 255, 255, 1}, 1));
  EXPECT_FALSE(snappy_bytes({}));
  const std::vector<uint8_t> endless(10, 0x80), large = {0xff, 0xff, 0xff, 0xff, 0x1f};
  EXPECT_FALSE(snappy_bytes(endless));
  EXPECT_FALSE(snappy_bytes(large));
}

TEST(Snappy, any_bytes_are_read_within_their_bounds) {
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> from(random() % 60);
    for (uint8_t& byte : from) byte = static_cast<uint8_t>(random() % 3 ? random() % 8 : random());
    from.insert(from.begin(), 100);
    std::vector<uint8_t> to(100);
    snappy_decompress(from, to);  // for the sanitizers
  }
}

}  // namespace
}  // namespace frazil::formats
