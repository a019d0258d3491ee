#include "primitives/distinct.hpp"

#include "base/error.hpp"
#include "primitives/cpu/group_table.hpp"

namespace frazil::primitives {

using columns::Column;
using columns::Encoding;
using columns::Physical;
using cpu::GroupTable;
using primitives::hash_of;

namespace {

// Equal floats have equal bits, but for zeros and NaN.
template <class Float, class Bits>
Bits canonical_bits(Float value) {
  if (value != value) return ~Bits{0};
  if (value == 0) value = 0;
  Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Numbers the valid rows by `number`, which takes the row in the column's arrays.
template <class Number>
void number_rows(const Column& column, std::span<const uint32_t> rows, memory::Buffer& numbers, Number number) {
  auto* to = numbers.mutable_as<uint32_t>();
  for (const uint32_t row : rows) {
    const int64_t at = column.offset + (column.encoding == Encoding::constant ? 0 : row);
    *to++ = column.is_valid(row) ? number(row, at) + 1 : 0;
  }
}

// Values of few bits are their own numbers.
template <class T>
uint32_t number_directly(const Column& column, std::span<const uint32_t> rows, memory::Buffer& numbers) {
  const T* values = column.values.as<T>();
  number_rows(column, rows, numbers, [&](uint32_t, int64_t at) { return static_cast<uint32_t>(values[at]); });
  return (uint32_t{1} << 8 * sizeof(T)) + 1;
}

template <class Key, class Read>
uint32_t number_by_table(const Column& column, std::span<const uint32_t> rows, memory::Buffer& numbers,
                         const memory::PoolPtr& pool, Read read) {
  GroupTable<Key> table(pool, "distinct values");
  number_rows(column, rows, numbers, [&](uint32_t row, int64_t at) {
    const Key key = read(row, at);
    return table.find_or_insert(key, hash_of(key));
  });
  return table.size() + 1;
}

uint32_t number_codes(const Column& column, std::span<const uint32_t> rows, memory::Buffer& numbers) {
  auto number = [&](auto zero) {
    const auto* codes = column.values.as<decltype(zero)>();
    number_rows(column, rows, numbers, [&](uint32_t, int64_t at) { return static_cast<uint32_t>(codes[at]); });
  };
  switch (column.physical) {
    case Physical::w1: number(uint8{}); break;
    case Physical::w2: number(uint16{}); break;
    default: number(uint32{}); break;
  }
  return static_cast<uint32_t>(column.dictionary->rows) + 1;
}

uint32_t number_wide(const Column& column, std::span<const uint32_t> rows, memory::Buffer& numbers,
                     const memory::PoolPtr& pool) {
  auto by_values = [&]<class Key, class T>(Key, T, auto key_of) {
    const T* values = column.values.as<T>();
    return number_by_table<Key>(column, rows, numbers, pool, [&](uint32_t, int64_t at) { return key_of(values[at]); });
  };
  auto same = [](auto value) { return value; };
  const bool is_float = column.type.is_float();
  switch (column.physical) {
    case Physical::w4:
      if (is_float) return by_values(uint64{}, float{}, canonical_bits<float, uint32>);
      return by_values(uint64{}, uint32{}, same);
    case Physical::w8:
      if (is_float) return by_values(uint64{}, double{}, canonical_bits<double, uint64>);
      return by_values(uint64{}, uint64{}, same);
    case Physical::w16: return by_values(uint128{}, uint128{}, same);
    default: FZ_CHECK(column.physical == Physical::view);
  }
  return number_by_table<program::RegisterView>(column, rows, numbers, pool, [&](uint32_t row, int64_t) {
    const std::string_view text = columns::text_at(column, row);
    return cpu::view_of(text.data(), static_cast<uint32>(text.size()));
  });
}

}  // namespace

NumberedValues number_values(const Column& column, std::span<const uint32_t> rows, const memory::PoolPtr& pool) {
  NumberedValues values{pool->allocate(static_cast<int64_t>(rows.size() * sizeof(uint32_t)), "distinct values"), 0};
  if (column.encoding == Encoding::dictionary) {
    values.count = number_codes(column, rows, values.numbers);
  } else if (column.physical == Physical::bits) {
    const auto* bits = column.values.as<uint8>();
    number_rows(column, rows, values.numbers,
                [&](uint32_t, int64_t at) { return uint32_t{bits[at >> 3]} >> (at & 7) & 1; });
    values.count = 3;
  } else if (column.physical == Physical::w1) {
    values.count = number_directly<uint8>(column, rows, values.numbers);
  } else if (column.physical == Physical::w2) {
    values.count = number_directly<uint16>(column, rows, values.numbers);
  } else {
    values.count = number_wide(column, rows, values.numbers, pool);
  }
  return values;
}

}  // namespace frazil::primitives
