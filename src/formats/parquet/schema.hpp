// The columns of a file and the dtypes that stand for them.
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "formats/parquet/metadata.hpp"
#include "formats/parquet/thrift.hpp"

namespace frazil::formats {

// The leaves of the schema tree, in file order.
std::vector<Leaf> read_schema(ThriftReader& reader, ThriftType type);

// Up to 8 bytes, least significant first.
inline uint64 little_endian(std::string_view bytes) {
  uint64 value = 0;
  std::memcpy(&value, bytes.data(), bytes.size() < 8 ? bytes.size() : 8);
  return value;
}

// A signed number of up to 16 bytes, most significant first: how decimals lie in byte arrays.
inline int128 big_endian(const void* bytes, int64_t count) {
  const uint8* from = static_cast<const uint8*>(bytes);
  uint128 value = count > 0 && from[0] >> 7 ? ~uint128{0} : 0;
  for (int64_t i = 0; i < count; ++i) value = value << 8 | from[i];
  return static_cast<int128>(value);
}

}  // namespace frazil::formats
