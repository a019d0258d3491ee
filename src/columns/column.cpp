#include "columns/column.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "base/error.hpp"
#include "columns/bits.hpp"

namespace frazil::columns {

namespace {

template <class T>
const T* values_of(const Column& column) {
  return column.values.as<T>() + column.offset;
}

int64_t physical_row(const Column& column, int64_t row) { return column.encoding == Encoding::constant ? 0 : row; }

uint64 code_at(const Column& column, int64_t row) {
  switch (column.physical) {
    case Physical::w1: return values_of<uint8>(column)[row];
    case Physical::w2: return values_of<uint16>(column)[row];
    case Physical::w4: return values_of<uint32>(column)[row];
    default: fail(ErrorKind::internal, "codes have 1, 2 or 4 bytes");
  }
}

// Whole numbers of dtypes whose values at rest have no sign.
bool is_unsigned(const Column& column) {
  if (column.encoding == Encoding::narrow) return false;
  TypeId id = column.type.id;
  return (id >= TypeId::uint8 && id <= TypeId::uint128) || id == TypeId::categorical || id == TypeId::enumeration;
}

// Calls `visit` with a value of the C++ type that the array of a whole-number column has.
template <class Visit>
auto with_whole_type(const Column& column, Visit visit) {
  bool no_sign = is_unsigned(column);
  switch (column.physical) {
    case Physical::w1: return no_sign ? visit(uint8{}) : visit(int8{});
    case Physical::w2: return no_sign ? visit(uint16{}) : visit(int16{});
    case Physical::w4: return no_sign ? visit(uint32{}) : visit(int32{});
    case Physical::w8: return no_sign ? visit(uint64{}) : visit(int64{});
    case Physical::w16: return no_sign ? visit(uint128{}) : visit(int128{});
    default: fail(ErrorKind::internal, "a whole number has 1 to 16 bytes");
  }
}

template <class T>
bool smallest_and_largest(const Column& column, int64_t rows, T* low, T* high) {
  const T* values = values_of<T>(column);
  *low = std::numeric_limits<T>::max();
  *high = std::numeric_limits<T>::min();
  if (!column.validity) {
    for (int64_t row = 0; row < rows; ++row) {
      *low = std::min(*low, values[row]);
      *high = std::max(*high, values[row]);
    }
    return rows > 0;
  }
  bool any = false;
  for_each_word(column.validity.as<uint8>(), column.offset, rows, [&](uint64 valid, int64_t first, int) {
    any |= valid != 0;
    for (; valid != 0; valid &= valid - 1) {
      T value = values[first + std::countr_zero(valid)];
      *low = std::min(*low, value);
      *high = std::max(*high, value);
    }
  });
  return any;
}

std::optional<Interval> measure_codes(const Column& column) {
  std::optional<Interval> interval;
  for (int64_t row = 0; row < column.rows; ++row) {
    if (!column.is_valid(row)) continue;
    int64_t code = static_cast<int64_t>(code_at(column, row));
    if (!column.dictionary->is_valid(code)) continue;
    int128 value = whole_at(*column.dictionary, code);
    if (!interval) interval = Interval{value, value};
    interval->low = std::min(interval->low, value);
    interval->high = std::max(interval->high, value);
  }
  return interval;
}

bool same_buffer(const memory::Buffer& a, const memory::Buffer& b) { return a.as() == b.as(); }

int64_t bytes_of_values(const Column& column, int64_t rows) {
  if (column.physical == Physical::bits) return bytes_for_bits(rows);
  if (column.physical == Physical::offsets) return (rows + 1) * 8;
  return rows * bytes_per_row(column.physical);
}

int64_t bytes_of_characters(const Column& column) {
  int64_t bytes = 0;
  std::unordered_set<const std::byte*> seen;
  for (const memory::Buffer& buffer : column.characters) {
    if (seen.insert(buffer.as()).second) bytes += buffer.bytes();
  }
  return bytes;
}

// The rows of a list's child that its own rows point at.
Column used_child(const Column& column, int64_t rows) {
  const int64_t* offsets = values_of<int64_t>(column);
  return slice(column.children[0], offsets[0], offsets[rows] - offsets[0]);
}

}  // namespace

int bytes_per_row(Physical physical) {
  switch (physical) {
    case Physical::w1: return 1;
    case Physical::w2: return 2;
    case Physical::w4: return 4;
    case Physical::w8: return 8;
    case Physical::w16:
    case Physical::view: return 16;
    default: return 0;
  }
}

Physical plain_physical(const DataType& type) {
  switch (type.id) {
    case TypeId::null:
    case TypeId::array:
    case TypeId::structure: return Physical::none;
    case TypeId::boolean: return Physical::bits;
    case TypeId::int8:
    case TypeId::uint8: return Physical::w1;
    case TypeId::int16:
    case TypeId::uint16:
    case TypeId::float16: return Physical::w2;
    case TypeId::int32:
    case TypeId::uint32:
    case TypeId::float32:
    case TypeId::date: return Physical::w4;
    case TypeId::int64:
    case TypeId::uint64:
    case TypeId::float64:
    case TypeId::time:
    case TypeId::datetime:
    case TypeId::duration: return Physical::w8;
    case TypeId::int128:
    case TypeId::uint128:
    case TypeId::decimal: return Physical::w16;
    case TypeId::string:
    case TypeId::binary: return Physical::view;
    case TypeId::categorical:
    case TypeId::enumeration:
      return type.index_bytes == 1 ? Physical::w1 : type.index_bytes == 2 ? Physical::w2 : Physical::w4;
    case TypeId::list:
    case TypeId::map: return Physical::offsets;
  }
  fail(ErrorKind::internal, "unknown dtype");
}

Column slice(const Column& column, int64_t start, int64_t rows) {
  FZ_CHECK(start >= 0 && rows >= 0 && start <= column.rows - rows);
  Column part = column;
  part.rows = rows;
  if (column.encoding == Encoding::constant) return part;
  part.offset += start;
  if (column.physical == Physical::none) {
    int64_t width = column.type.id == TypeId::array ? column.type.width : 1;
    for (Column& child : part.children) child = slice(child, start * width, rows * width);
  }
  return part;
}

Batch slice(const Batch& batch, int64_t start, int64_t rows) {
  Batch part;
  part.rows = rows;
  part.ordinal = batch.ordinal + start;
  part.columns.reserve(batch.columns.size());
  for (const Column& column : batch.columns) part.columns.push_back(slice(column, start, rows));
  return part;
}

int64_t bytes_of(const Column& column) {
  int64_t rows = column.encoding == Encoding::constant ? std::min<int64_t>(column.rows, 1) : column.rows;
  int64_t bytes = bytes_of_values(column, rows) + bytes_of_characters(column);
  if (column.validity) bytes += bytes_for_bits(rows);
  if (column.dictionary) bytes += bytes_of(*column.dictionary);
  if (column.physical == Physical::offsets) return bytes + (column.values ? bytes_of(used_child(column, rows)) : 0);
  for (const Column& child : column.children) bytes += bytes_of(child);
  return bytes;
}

std::optional<Interval> measure_interval(const Column& column) {
  if (column.encoding == Encoding::dictionary) return measure_codes(column);
  int64_t rows = column.encoding == Encoding::constant ? std::min<int64_t>(column.rows, 1) : column.rows;
  return with_whole_type(column, [&](auto zero) -> std::optional<Interval> {
    decltype(zero) low, high;
    if (!smallest_and_largest(column, rows, &low, &high)) return std::nullopt;
    // UInt128 has values that an interval cannot hold.
    if (static_cast<uint128>(high) > static_cast<uint128>(std::numeric_limits<int128>::max()) && high > 0) {
      return std::nullopt;
    }
    return Interval{column.base + static_cast<int128>(low), column.base + static_cast<int128>(high)};
  });
}

std::string_view text_at(const Column& column, int64_t row) {
  row = physical_row(column, row);
  if (column.encoding == Encoding::dictionary) {
    return text_at(*column.dictionary, static_cast<int64_t>(code_at(column, row)));
  }
  const View& view = values_of<View>(column)[row];
  size_t length = static_cast<size_t>(view.length);
  if (view.length <= View::kInline) return {reinterpret_cast<const char*>(&view) + sizeof(view.length), length};
  return {column.characters[static_cast<size_t>(view.buffer)].as<char>() + view.offset, length};
}

bool truth_at(const Column& column, int64_t row) {
  const int64_t bit = column.offset + physical_row(column, row);
  return column.values.as<uint8>()[bit >> 3] >> (bit & 7) & 1;
}

int128 whole_at(const Column& column, int64_t row) {
  row = physical_row(column, row);
  if (column.encoding == Encoding::dictionary) {
    return whole_at(*column.dictionary, static_cast<int64_t>(code_at(column, row)));
  }
  return with_whole_type(
      column, [&](auto zero) { return column.base + static_cast<int128>(values_of<decltype(zero)>(column)[row]); });
}

bool is_prefix(const Column& shorter, const Column& longer) {
  if (shorter.rows > longer.rows) return false;
  bool same_memory =
      same_buffer(shorter.values, longer.values) && same_buffer(shorter.validity, longer.validity) &&
      shorter.offset == longer.offset && shorter.characters.size() <= longer.characters.size() &&
      std::equal(shorter.characters.begin(), shorter.characters.end(), longer.characters.begin(), same_buffer);
  if (same_memory) return true;
  for (int64_t row = 0; row < shorter.rows; ++row) {
    bool valid = shorter.is_valid(row);
    if (valid != longer.is_valid(row)) return false;
    if (valid && text_at(shorter, row) != text_at(longer, row)) return false;
  }
  return true;
}

std::shared_ptr<const Table> head(const std::shared_ptr<const Table>& table, int64_t rows) {
  if (!table->to_host && rows >= table->rows()) return table;
  auto first = std::make_shared<Table>();
  first->schema = table->schema;
  for (const Batch& batch : table->batches) {
    const int64_t part = std::min(rows, batch.rows);
    first->batches.push_back(table->to_host ? table->to_host(batch, part) : slice(batch, 0, part));
    rows -= part;
    if (rows == 0) break;
  }
  return first;
}

std::shared_ptr<const Table> select(const Table& table, const std::vector<std::string>& names) {
  auto some = std::make_shared<Table>();
  some->to_host = table.to_host;
  for (const Batch& batch : table.batches) some->batches.push_back({batch.rows, {}, batch.ordinal});
  for (const std::string& name : names) {
    const auto found =
        std::find_if(table.schema.begin(), table.schema.end(), [&](const Field& field) { return field.name == name; });
    FZ_CHECK(found != table.schema.end());
    some->schema.push_back(*found);
    const auto number = static_cast<size_t>(found - table.schema.begin());
    for (size_t b = 0; b < table.batches.size(); ++b)
      some->batches[b].columns.push_back(table.batches[b].columns[number]);
  }
  return some;
}

}  // namespace frazil::columns
