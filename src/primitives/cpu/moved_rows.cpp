#include "primitives/cpu/moved_rows.hpp"

namespace frazil::primitives {

using namespace columns;

Column without_rows(const Column& column, int64_t rows) {
  Column out;
  out.type = column.type;
  out.rows = rows;
  out.physical = column.physical;
  out.encoding = column.encoding;
  out.characters = column.characters;
  out.dictionary = column.dictionary;
  out.base = column.base;
  out.interval = column.interval;
  return out;
}

memory::Buffer allocate_bits(int64_t bits, const memory::PoolPtr& pool) {
  return pool->allocate(words_for_bits(bits) * 8, kMoveWho);
}

memory::Buffer unless_all_set(memory::Buffer bits, int64_t rows) {
  if (count_ones(bits.as<uint8>(), 0, rows) == rows) return {};
  return bits;
}

memory::Buffer bits_from(const memory::Buffer& bits, int64_t bit, int64_t rows, const memory::PoolPtr& pool) {
  if (!bits) return {};
  if (bit % 8 == 0) return bits.slice(bit / 8, bytes_for_bits(rows));
  memory::Buffer moved = allocate_bits(rows, pool);
  BitAppender out(moved.mutable_as<uint64>());
  out.append_all(bits.as<uint8>(), bit, rows);
  out.finish();
  return moved;
}

Column widen_codes(const Column& column, Physical physical, const memory::PoolPtr& pool) {
  if (column.physical == physical) return column;
  Column out = without_rows(column, column.rows);
  out.physical = physical;
  out.validity = bits_from(column.validity, column.offset, column.rows, pool);
  out.values = pool->allocate(column.rows * bytes_per_row(physical), kMoveWho);
  with_row_type(column.physical, [&](auto from) {
    with_row_type(physical, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      if constexpr (sizeof(From) < sizeof(To) && sizeof(To) <= 4) {
        for (int64_t i = 0; i < column.rows; ++i) out.values.mutable_as<To>()[i] = rows_of<From>(column)[i];
      } else {
        fail(ErrorKind::internal, "codes can only be widened, to four bytes at most");
      }
    });
  });
  return out;
}

}  // namespace frazil::primitives
