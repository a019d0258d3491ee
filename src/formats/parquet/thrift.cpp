#include "formats/parquet/thrift.hpp"

#include "base/error.hpp"

namespace frazil::formats {

namespace {

constexpr int kDepth = 24;  // deeper than anything in Parquet's metadata; the stack is ours

}  // namespace

void ThriftReader::expect(bool as_expected) {
  if (!as_expected) [[unlikely]]
    fail(ErrorKind::compute, "Parquet: the metadata are damaged");
}

void ThriftReader::enter() { expect(++depth_ <= kDepth); }

uint8_t ThriftReader::byte() {
  expect(at_ < end_);
  return *at_++;
}

uint64_t ThriftReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const uint8_t part = byte();
    if (shift < 64) value |= uint64_t{part & 0x7fu} << shift;
    if (part < 0x80) return value;
  }
  expect(false);
  return 0;
}

int64_t ThriftReader::zigzag() {
  const uint64_t value = varint();
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

ThriftType ThriftReader::next_field(int16_t& field) {
  const uint8_t header = byte();
  if (header == 0) return ThriftType::stop;
  const int delta = header >> 4;
  field = static_cast<int16_t>(delta ? field + delta : zigzag());
  const auto type = static_cast<ThriftType>(header & 15);
  expect(type >= ThriftType::yes && type <= ThriftType::structure);
  return type;
}

// Every element takes a byte at least, so a count can be believed only as far as there are bytes.
int64_t ThriftReader::list_header(ThriftType& element) {
  const uint8_t header = byte();
  element = static_cast<ThriftType>(header & 15);
  expect(element >= ThriftType::yes && element <= ThriftType::structure);
  const uint64_t count = header >> 4 == 15 ? varint() : header >> 4;
  expect(count <= static_cast<uint64_t>(left()));
  return static_cast<int64_t>(count);
}

int64_t ThriftReader::whole(ThriftType type) {
  if (type == ThriftType::i8) return static_cast<int8_t>(byte());
  expect(type == ThriftType::i16 || type == ThriftType::i32 || type == ThriftType::i64);
  return zigzag();
}

int32_t ThriftReader::whole32(ThriftType type) {
  const int64_t value = whole(type);
  expect(value >= INT32_MIN && value <= INT32_MAX);
  return static_cast<int32_t>(value);
}

bool ThriftReader::truth(ThriftType type) {
  expect(type == ThriftType::yes || type == ThriftType::no);
  return type == ThriftType::yes;
}

std::string_view ThriftReader::binary(ThriftType type) {
  expect(type == ThriftType::binary);
  const uint64_t size = varint();
  expect(size <= static_cast<uint64_t>(left()));
  std::string_view text(reinterpret_cast<const char*>(at_), size);
  at_ += size;
  return text;
}

// Truth takes a byte in lists, and none in fields.
void ThriftReader::skip_element(ThriftType type) {
  if (type == ThriftType::yes || type == ThriftType::no) {
    byte();
  } else {
    skip(type);
  }
}

void ThriftReader::skip(ThriftType type) {
  switch (type) {
    case ThriftType::stop:
    case ThriftType::yes:
    case ThriftType::no: return;
    case ThriftType::i8: byte(); return;
    case ThriftType::i16:
    case ThriftType::i32:
    case ThriftType::i64: varint(); return;
    case ThriftType::real:
      expect(left() >= 8);
      at_ += 8;
      return;
    case ThriftType::binary: binary(type); return;
    case ThriftType::structure: structure([](int16_t, ThriftType) { return false; }); return;
    case ThriftType::list:
    case ThriftType::set: {
      enter();
      list(ThriftType::list, [&](ThriftType element) { skip_element(element); });
      --depth_;
      return;
    }
    case ThriftType::map: {
      enter();
      const uint64_t count = varint();
      expect(count <= static_cast<uint64_t>(left()));
      const uint8_t types = count > 0 ? byte() : 0;
      for (uint64_t i = 0; i < count; ++i) {
        skip_element(static_cast<ThriftType>(types >> 4));
        skip_element(static_cast<ThriftType>(types & 15));
      }
      --depth_;
      return;
    }
  }
  expect(false);
}

}  // namespace frazil::formats
