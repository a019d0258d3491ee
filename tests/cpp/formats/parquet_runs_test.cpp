#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/error.hpp"
#include "formats/parquet/kernels.hpp"
#include "formats/parquet/runs.hpp"
#include "formats/parquet/texts.hpp"
#include "memory/pool.hpp"

namespace frazil::formats {
namespace {

// Writes runs bit by bit.
class RunWriter {
 public:
  explicit RunWriter(int bits) : bits_(bits) {}

  void repeat(uint32_t value, uint64_t count) {
    varint(count << 1);
    for (int b = 0; b < (bits_ + 7) / 8; ++b) bytes.push_back(static_cast<uint8_t>(value >> (8 * b)));
    values.insert(values.end(), count, value);
  }
  void pack(const std::vector<uint32_t>& some) {
    const size_t groups = (some.size() + 7) / 8, start = bytes.size();
    varint(groups << 1 | 1);
    const size_t first = bytes.size();
    bytes.resize(first + groups * static_cast<size_t>(bits_));
    for (size_t i = 0; i < some.size() * static_cast<size_t>(bits_); ++i) {
      const uint32_t bit = some[i / static_cast<size_t>(bits_)] >> (i % static_cast<size_t>(bits_)) & 1;
      bytes[first + i / 8] = static_cast<uint8_t>(bytes[first + i / 8] | bit << (i % 8));
    }
    values.insert(values.end(), some.begin(), some.end());
    EXPECT_GT(bytes.size(), start);
  }

  std::vector<uint8_t> bytes;
  std::vector<uint32_t> values;

 private:
  void varint(uint64_t value) {
    for (; value > 127; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 128));
    bytes.push_back(static_cast<uint8_t>(value));
  }
  int bits_;
};

// The bytes with the padding that readers count on.
struct Padded {
  explicit Padded(const std::vector<uint8_t>& bytes)
      : buffer(memory::Pool::create(0)->allocate(static_cast<int64_t>(bytes.size()), "test")) {
    std::copy(bytes.begin(), bytes.end(), buffer.mutable_as<uint8_t>());
  }
  std::span<const uint8_t> span() const { return buffer.span<uint8_t>(); }
  memory::Buffer buffer;
};

uint32_t mask_of(int bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

TEST(ParquetRuns, CodesOfEveryWidthComeBack) {
  std::mt19937 random(2);
  for (int bits = 1; bits <= 32; ++bits) {
    for (int trial = 0; trial < 30; ++trial) {
      RunWriter writer(bits);
      for (int run = 0; run < 8; ++run) {
        if (random() % 2) {
          writer.repeat(random() & mask_of(bits), random() % 100);
        } else {
          std::vector<uint32_t> some(8 * (random() % 600));
          for (uint32_t& value : some) value = random() & mask_of(bits);
          writer.pack(some);
        }
      }
      for (uint32_t& value : writer.values) value &= mask_of(bits);
      const uint32_t most = writer.values.empty() ? 0 : *std::max_element(writer.values.begin(), writer.values.end());
      if (most == ~0u) continue;  // no limit lies above it
      std::vector<uint32_t> codes(writer.values.size());
      const Padded padded(writer.bytes);
      read_codes(padded.span(), bits, static_cast<int64>(codes.size()), most + 1, codes.data());
      EXPECT_EQ(codes, writer.values) << bits;
      if (codes.empty()) continue;
      EXPECT_THROW(read_codes(padded.span(), bits, static_cast<int64>(codes.size()), most, codes.data()), Error);
      EXPECT_THROW(read_codes(padded.span(), bits, static_cast<int64>(codes.size()) + 9, most + 1,
                              std::vector<uint32_t>(codes.size() + 9).data()),
                   Error);
    }
  }
}

TEST(ParquetRuns, BothKernelsAgree) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP();
#endif
  std::mt19937 random(3);
  for (int bits = 1; bits <= 32; ++bits) {
    std::vector<uint8_t> bytes(1000 + 64);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    const int64 groups = 1000 / bits;
    std::vector<uint32_t> a(static_cast<size_t>(groups) * 8), b(a.size());
    kernels_of(1).unpack(bytes.data(), groups, bits, a.data());
    kernels_of(0).unpack(bytes.data(), groups, bits, b.data());
    EXPECT_EQ(a, b) << bits;
  }
}

TEST(ParquetRuns, BitsAreCountedAndLevelsAboveOneThrow) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 300; ++trial) {
    RunWriter writer(1);
    for (int run = 0; run < 6; ++run) {
      if (random() % 2) {
        writer.repeat(random() % 2, random() % 200);
      } else {
        std::vector<uint32_t> some(8 * (random() % 30));
        for (uint32_t& value : some) value = random() % 2;
        writer.pack(some);
      }
    }
    const auto rows = static_cast<int64>(writer.values.size());
    std::vector<uint64> words(static_cast<size_t>(columns::words_for_bits(rows)) + 1);
    columns::BitAppender bits(words.data());
    const Padded padded(writer.bytes);
    const int64 ones = read_bits(padded.span(), rows, bits);
    bits.finish();
    EXPECT_EQ(ones, std::count(writer.values.begin(), writer.values.end(), 1u));
    for (int64 row = 0; row < rows; ++row) {
      ASSERT_EQ(columns::bit_at(reinterpret_cast<const uint8*>(words.data()), row),
                writer.values[static_cast<size_t>(row)] == 1);
    }
  }
  uint64 word = 0;
  columns::BitAppender bits(&word);
  EXPECT_THROW(read_bits(Padded({20, 2}).span(), 10, bits), Error);
}

TEST(ParquetRuns, RandomBytesNeverCrash) {
  std::mt19937 random(5);
  std::vector<uint32_t> codes(5000);
  int failed = 0;
  for (int i = 0; i < 100000; ++i) {
    std::vector<uint8_t> bytes(random() % 40);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    try {
      read_codes(Padded(bytes).span(), static_cast<int>(random() % 34), random() % 5000, 1000, codes.data());
    } catch (const Error&) {
      ++failed;
    }
  }
  EXPECT_GT(failed, 0);
}

TEST(ParquetTexts, Utf8) {
  auto valid = [](std::string_view text) {
    return is_utf8(reinterpret_cast<const uint8*>(text.data()), static_cast<int64>(text.size()));
  };
  for (const char* text : {"", "plain", "é", "€", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(valid(text)) << text;
  for (const char* text : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "a\xff", "\xc3"}) {
    EXPECT_FALSE(valid(text)) << text;
  }
}

}  // namespace
}  // namespace frazil::formats
