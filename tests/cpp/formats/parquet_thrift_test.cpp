#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/error.hpp"
#include "formats/parquet/metadata.hpp"
#include "formats/parquet/thrift.hpp"

namespace frazil::formats {
namespace {

using Bytes = std::vector<uint8_t>;

// Reads a structure whose field 1 is a number; other fields are skipped.
int64_t read_number(const Bytes& bytes) {
  int64_t number = -1;
  ThriftReader reader(bytes);
  reader.structure([&](int16_t field, ThriftType type) {
    if (field == 1) number = reader.whole(type);
    return field == 1;
  });
  return number;
}

TEST(ParquetThrift, ReadsNumbersAndSkipsWhatItDoesNotKnow) {
  // Field 1: i32 150; field 2: text; field 3: list of two truths; field 4: structure; stop.
  EXPECT_EQ(read_number({0x15, 0xac, 0x02, 0x18, 0x02, 'a', 'b', 0x19, 0x21, 1, 2, 0x1c, 0x00, 0x00}), 150);
  EXPECT_EQ(read_number({0x05, 0x02, 0x09, 0x00}), -5);  // the field's number spelled out
}

TEST(ParquetThrift, EveryPrefixOfAStructureThrows) {
  const Bytes whole{0x15, 0xac, 0x02, 0x18, 0x02, 'a', 'b', 0x19, 0x21, 1, 2, 0x1c, 0x00, 0x00};
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(read_number(Bytes(whole.begin(), whole.begin() + static_cast<long>(size))), Error) << size;
  }
}

TEST(ParquetThrift, CountsBeyondTheEndThrow) {
  EXPECT_THROW(read_number({0x28, 0xff, 0xff, 0xff, 0xff, 0x07, 'a', 0x00}), Error);   // a long text
  EXPECT_THROW(read_number({0x29, 0xf8, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00}), Error);  // a long list
  EXPECT_THROW(read_number({0x2b, 0xff, 0xff, 0xff, 0xff, 0x07, 0x55, 0x00}), Error);  // a long map
  EXPECT_THROW(read_number({0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00}), Error);
}

TEST(ParquetThrift, DeepNestingThrows) {
  EXPECT_THROW(read_number(Bytes(100000, 0x2c)), Error);  // structures in structures
  EXPECT_THROW(read_number(Bytes(100000, 0x19)), Error);  // lists in lists
}

TEST(ParquetThrift, RandomBytesNeverCrash) {
  std::mt19937 random(1);
  int failed = 0;
  for (int i = 0; i < 200000; ++i) {
    Bytes bytes(random() % 64);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    try {
      parse_page_header(bytes);
    } catch (const Error&) {
      ++failed;
    }
    try {
      parse_metadata(bytes, 1000);
    } catch (const Error&) {
      ++failed;
    }
  }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace frazil::formats
