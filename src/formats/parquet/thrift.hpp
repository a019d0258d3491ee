// A reader of Thrift's compact protocol over bytes that may be hostile: every step is checked against the end, and
// anything that is not as it should be throws compute. Not a Thrift library: it knows only what Parquet uses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/export.hpp"

namespace frazil::formats {

enum class ThriftType : uint8_t {
  stop = 0,
  yes = 1,
  no = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  real = 7,
  binary = 8,
  list = 9,
  set = 10,
  map = 11,
  structure = 12,
};

class FRAZIL_API ThriftReader {
 public:
  explicit ThriftReader(std::span<const uint8_t> bytes)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  int64_t position() const { return at_ - begin_; }
  int64_t left() const { return end_ - at_; }

  // Calls visit(field number, type) for each field of a structure; it reads the value and returns true, or leaves it
  // alone and returns false.
  template <class Visit>
  void structure(Visit visit) {
    enter();
    int16_t field = 0;
    for (ThriftType type = next_field(field); type != ThriftType::stop; type = next_field(field)) {
      if (!visit(field, type)) skip(type);
    }
    --depth_;
  }

  // The value of a field of this type. Other types than the one wanted throw.
  template <class Visit>
  void structure(ThriftType type, Visit visit) {
    expect(type == ThriftType::structure);
    structure(visit);
  }
  // Calls visit(type) for each element.
  template <class Visit>
  void list(ThriftType type, Visit visit) {
    expect(type == ThriftType::list);
    ThriftType element;
    for (int64_t left = list_header(element); left > 0; --left) visit(element);
  }
  int64_t whole(ThriftType type);
  int32_t whole32(ThriftType type);
  bool truth(ThriftType type);
  std::string_view binary(ThriftType type);
  void skip(ThriftType type);

 private:
  void enter();
  ThriftType next_field(int16_t& field);
  int64_t list_header(ThriftType& element);
  void skip_element(ThriftType type);
  uint8_t byte();
  uint64_t varint();
  int64_t zigzag();
  static void expect(bool as_expected);

  const uint8_t* begin_;
  const uint8_t* at_;
  const uint8_t* end_;
  int depth_ = 0;
};

}  // namespace frazil::formats
