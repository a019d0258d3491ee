// Encoded columns become plain, and columns of nulls.
#include <algorithm>

#include "primitives/cpu/moved_rows.hpp"

namespace frazil::primitives {

using namespace columns;

namespace {

Column decode_children(const Column& column, const memory::PoolPtr& pool) {
  Column out = column;
  for (Column& child : out.children) child = decode(child, pool);
  return out;
}

memory::Buffer repeat_value(const Column& column, const memory::PoolPtr& pool) {
  if (column.physical == Physical::bits) {
    memory::Buffer bits = allocate_bits(column.rows, pool);
    BitAppender out(bits.mutable_as<uint64>());
    out.append_repeated(bit_at(column.values.as<uint8>(), column.offset), column.rows);
    out.finish();
    return bits;
  }
  memory::Buffer values = pool->allocate(column.rows * bytes_per_row(column.physical), kMoveWho);
  with_row_type(column.physical, [&](auto row) {
    using T = decltype(row);
    std::fill_n(values.mutable_as<T>(), column.rows, *rows_of<T>(column));
  });
  return values;
}

Column decode_constant(const Column& column, const memory::PoolPtr& pool) {
  FZ_CHECK(column.physical == plain_physical(column.type));
  if (column.rows == 0 || !column.is_valid(0)) {
    Column out = nulls(column.type, column.rows, pool);
    if (column.dictionary) out.dictionary = column.dictionary;
    return out;
  }
  if (!column.type.is_nested()) {
    Column out = without_rows(column, column.rows);
    out.encoding = Encoding::plain;
    out.values = repeat_value(column, pool);
    return out;
  }
  Column one = column;
  one.rows = 1;
  one.encoding = Encoding::plain;
  memory::Buffer zeros = pool->allocate_zeroed(column.rows * 4, kMoveWho);
  return gather(decode_children(one, pool), {zeros.as<uint32>(), static_cast<size_t>(column.rows)}, pool);
}

// Codes of null rows may be anything.
memory::Buffer indices_of_codes(const Column& column, const memory::PoolPtr& pool) {
  memory::Buffer indices = pool->allocate(column.rows * 4, kMoveWho);
  uint32* out = indices.mutable_as<uint32>();
  with_row_type(column.physical, [&](auto row) {
    using T = decltype(row);
    if constexpr (sizeof(T) > 4) {
      fail(ErrorKind::internal, "codes have 1, 2 or 4 bytes");
    } else {
      const T* codes = rows_of<T>(column);
      for (int64_t i = 0; i < column.rows; ++i) out[i] = codes[i];
    }
  });
  if (!column.validity) return indices;
  for_each_word(column.validity.as<uint8>(), column.offset, column.rows, [&](uint64 valid, int64_t first, int count) {
    for (uint64 null = ~valid & low_bits(count); null != 0; null &= null - 1)
      out[first + std::countr_zero(null)] = kNoRow;
  });
  return indices;
}

Column decode_dictionary(const Column& column, const memory::PoolPtr& pool) {
  memory::Buffer indices = indices_of_codes(column, pool);
  Column out = gather(decode(*column.dictionary, pool), {indices.as<uint32>(), static_cast<size_t>(column.rows)}, pool);
  out.interval = column.interval;
  return out;
}

template <class Visit>
auto with_signed_type(Physical physical, Visit visit) {
  switch (physical) {
    case Physical::w1: return visit(int8{});
    case Physical::w2: return visit(int16{});
    case Physical::w4: return visit(int32{});
    case Physical::w8: return visit(int64{});
    case Physical::w16: return visit(int128{});
    default: fail(ErrorKind::internal, "a whole number has 1 to 16 bytes");
  }
}

// The sum is right modulo the width of the value at rest, signed or not.
template <class From, class To>
void add_base(const From* in, int64_t rows, int128 base, To* out) {
  uint128 low = static_cast<uint128>(base);
  for (int64_t i = 0; i < rows; ++i) out[i] = static_cast<To>(low + static_cast<uint128>(int128{in[i]}));
}

Column decode_narrow(const Column& column, const memory::PoolPtr& pool) {
  Column out = without_rows(column, column.rows);
  out.encoding = Encoding::plain;
  out.physical = plain_physical(column.type);
  out.base = 0;
  out.validity = bits_from(column.validity, column.offset, column.rows, pool);
  out.values = pool->allocate(column.rows * bytes_per_row(out.physical), kMoveWho);
  with_signed_type(column.physical, [&](auto from) {
    with_signed_type(out.physical, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      add_base(rows_of<From>(column), column.rows, column.base, out.values.mutable_as<To>());
    });
  });
  return out;
}

}  // namespace

Column decode(const Column& column, const memory::PoolPtr& pool) {
  switch (column.encoding) {
    case Encoding::plain: return column.children.empty() ? column : decode_children(column, pool);
    case Encoding::constant: return decode_constant(column, pool);
    case Encoding::dictionary: return decode_dictionary(column, pool);
    case Encoding::narrow: return decode_narrow(column, pool);
  }
  fail(ErrorKind::internal, "unknown encoding");
}

Column nulls(const DataType& type, int64_t rows, const memory::PoolPtr& pool) {
  Column out;
  out.type = type;
  out.rows = rows;
  out.physical = plain_physical(type);
  out.validity = pool->allocate_zeroed(words_for_bits(rows) * 8, kMoveWho);
  if (out.physical == Physical::bits) out.values = pool->allocate_zeroed(words_for_bits(rows) * 8, kMoveWho);
  if (out.physical == Physical::offsets) out.values = pool->allocate_zeroed((rows + 1) * 8, kMoveWho);
  if (int bytes = bytes_per_row(out.physical)) out.values = pool->allocate_zeroed(rows * bytes, kMoveWho);
  if (type.id == TypeId::enumeration) out.dictionary = type.categories;
  if (type.id == TypeId::categorical) {
    out.dictionary = std::make_shared<const Column>(nulls(simple(TypeId::string), 0, pool));
  }
  if (!type.is_nested()) return out;
  int64_t width = type.id == TypeId::array ? type.width : type.id == TypeId::structure ? 1 : 0;
  for (const Field& field : *type.children) out.children.push_back(nulls(field.type, rows * width, pool));
  return out;
}

}  // namespace frazil::primitives
