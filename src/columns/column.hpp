// Data at rest. A column has a Polars dtype and a storage: a physical array plus the parameters of an encoding.
// Moving primitives (filter, gather, slice, concatenate within one encoding) look at the physical array alone; only
// load, concatenation of unlike encodings, key packing and export look at the encoding.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.hpp"
#include "base/target.hpp"
#include "columns/dtype.hpp"
#include "memory/buffer.hpp"

namespace frazil::columns {

// What one row of the physical array is.
enum class Physical : uint8_t {
  none,  // null dtype, struct, array: no array of its own
  bits,  // packed booleans, least significant bit first
  w1,
  w2,
  w4,
  w8,
  w16,      // that many bytes; integers of narrow columns are signed, see Column::base
  view,     // Arrow string view: length, prefix, buffer, offset
  offsets,  // list, map: 64-bit offsets, rows + 1 of them
};
FRAZIL_API int bytes_per_row(Physical physical);  // 0 for none, bits and offsets

enum class Encoding : uint8_t {
  plain,       // values as Arrow has them for the dtype
  constant,    // one physical value at row 0 stands for all rows
  dictionary,  // unsigned codes into `dictionary`, a plain column of the same dtype
  narrow,      // a whole number = base + the signed value of a narrower array
};

// Bounds that every non-null value keeps. Whole numbers only; decimals are unscaled.
struct Interval {
  int128 low;
  int128 high;
  bool operator==(const Interval&) const = default;
};

// Children of a struct hold exactly its rows and those of an array rows * width, whatever `offset` is (a constant has
// the children of one row); lists and maps point into all rows of their child. A column of dtype null has a validity.
struct FRAZIL_API Column {
  DataType type;
  int64_t rows = 0;
  int64_t offset = 0;  // rows to skip in values and validity: slices share buffers
  Physical physical = Physical::none;
  Encoding encoding = Encoding::plain;
  memory::Buffer values;
  memory::Buffer validity;                   // packed, 1 = valid; absent: no row is null
  std::vector<memory::Buffer> characters;    // what views point into
  std::shared_ptr<const Column> dictionary;  // encoding dictionary; or the categories of a categorical or enum
  int128 base = 0;                           // encoding narrow
  std::vector<Column> children;              // list, map, array: one; struct: its fields
  std::optional<Interval> interval;          // if known

  bool has_nulls() const { return static_cast<bool>(validity); }
  bool is_valid(int64_t row) const {
    if (!validity) return true;
    int64_t bit = offset + (encoding == Encoding::constant ? 0 : row);
    return validity.as<uint8>()[bit >> 3] >> (bit & 7) & 1;
  }
};

// Arrow's string view.
struct View {
  int32 length;
  char prefix[4];  // the first bytes; up to 12 bytes lie here and in the next two fields
  int32 buffer;
  int32 offset;
  static constexpr int32 kInline = 12;
};
static_assert(sizeof(View) == 16);

struct Batch {
  int64_t rows = 0;
  std::vector<Column> columns;
  int64_t ordinal = 0;  // place of its first row in the order of its source
};

// A schema and its rows in pieces.
struct Table {
  Schema schema;
  std::vector<Batch> batches;
  int64_t rows() const {
    int64_t n = 0;
    for (const Batch& batch : batches) n += batch.rows;
    return n;
  }
  // Where batches lie on a device: a copy of the first rows of one in the host's memory.
  std::function<Batch(const Batch& batch, int64_t rows)> to_host;
};

// The first rows of a table, in the host's memory.
FRAZIL_API std::shared_ptr<const Table> head(const std::shared_ptr<const Table>& table, int64_t rows);
// Columns by their names.
FRAZIL_API std::shared_ptr<const Table> select(const Table& table, const std::vector<std::string>& names);

// The physical array that a plain column of `type` has.
FRAZIL_API Physical plain_physical(const DataType& type);

// Rows [start, start + rows) over the same buffers.
FRAZIL_API Column slice(const Column& column, int64_t start, int64_t rows);
FRAZIL_API Batch slice(const Batch& batch, int64_t start, int64_t rows);

// Whether the texts of two plain string columns agree as far as the shorter one goes.
FRAZIL_API bool is_prefix(const Column& shorter, const Column& longer);

// Bytes of the buffers that a column's rows need (shared buffers count in full once per column).
FRAZIL_API int64_t bytes_of(const Column& column);

// Smallest interval of the valid rows of a whole-number column; nothing if there is none. Reads the values.
FRAZIL_API std::optional<Interval> measure_interval(const Column& column);

// The text of row `row` of a string or binary column, whatever its encoding; the row must be valid.
FRAZIL_API std::string_view text_at(const Column& column, int64_t row);
// The truth of row `row` of a boolean column, whatever its encoding.
FRAZIL_API bool truth_at(const Column& column, int64_t row);
// The value of row `row` of a whole-number column, whatever its encoding.
FRAZIL_API int128 whole_at(const Column& column, int64_t row);

}  // namespace frazil::columns
