// Polars' dtypes with all their parameters. How values lie in memory is a column's matter (column.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/export.hpp"

namespace frazil::columns {

enum class TypeId : uint8_t {
  null,
  boolean,
  int8,
  int16,
  int32,
  int64,
  int128,
  uint8,
  uint16,
  uint32,
  uint64,
  uint128,
  float16,
  float32,
  float64,
  decimal,
  string,
  binary,
  date,
  time,
  datetime,
  duration,
  categorical,
  enumeration,
  list,
  array,
  structure,
  map,
};

enum class TimeUnit : uint8_t { milliseconds, microseconds, nanoseconds };

struct Field;
struct Column;

struct FRAZIL_API DataType {
  TypeId id = TypeId::null;
  uint8_t precision = 0;                     // decimal
  uint8_t scale = 0;                         // decimal
  TimeUnit unit = TimeUnit::microseconds;    // datetime, duration
  int64_t width = 0;                         // array: values a row
  std::string zone;                          // datetime; empty: none
  std::string metadata_key, metadata_value;  // categorical, enum: Polars' Arrow field metadata, kept as it came
  uint8_t index_bytes = 0;                   // categorical, enum: 1, 2 or 4
  std::shared_ptr<const std::vector<Field>> children;  // list, array, map: one; struct: its fields
  // enum: its categories in order, a string column. Categoricals carry theirs in the column, since they may grow.
  std::shared_ptr<const Column> categories;

  bool operator==(const DataType& other) const;
  std::string name() const;        // as Polars prints it: Decimal(precision=15, scale=2)
  std::string short_name() const;  // as Polars' messages have it: decimal[15,2]

  bool is_integer() const { return id >= TypeId::int8 && id <= TypeId::uint128; }
  bool is_signed_integer() const { return id >= TypeId::int8 && id <= TypeId::int128; }
  bool is_float() const { return id >= TypeId::float16 && id <= TypeId::float64; }
  bool is_nested() const { return id >= TypeId::list; }
  bool is_string_like() const { return id == TypeId::string || id == TypeId::binary; }
  // Values are whole numbers at rest: integers, decimals, dates, times, codes.
  bool is_whole_number() const {
    return is_integer() || id == TypeId::decimal || (id >= TypeId::date && id <= TypeId::enumeration);
  }
};

struct FRAZIL_API Field {
  std::string name;
  DataType type;
  bool operator==(const Field&) const = default;
};

using Schema = std::vector<Field>;

FRAZIL_API DataType simple(TypeId id);
FRAZIL_API DataType decimal(int precision, int scale);
// Names that several places need: the width in bytes of a plain value at rest, 0 for null, boolean and nested types.
FRAZIL_API int plain_bytes(const DataType& type);

}  // namespace frazil::columns
