// What the moving verbs have in common: a column without rows yet, bitmaps, and one C++ type per width of a row.
#pragma once

#include "base/error.hpp"
#include "columns/bits.hpp"
#include "primitives/move.hpp"

namespace frazil::primitives {

using columns::Encoding;
using columns::Physical;
using columns::TypeId;

constexpr const char* kMoveWho = "a move of rows";

// Sixteen bytes that need not be aligned to more than eight, as views of Polars may lie.
struct Bytes16 {
  uint64 low, high;
};

// Calls `visit` with a value of the C++ type that a row of a physical array with whole bytes has.
template <class Visit>
auto with_row_type(Physical physical, Visit visit) {
  switch (physical) {
    case Physical::w1: return visit(uint8{});
    case Physical::w2: return visit(uint16{});
    case Physical::w4: return visit(uint32{});
    case Physical::w8: return visit(uint64{});
    case Physical::w16:
    case Physical::view: return visit(Bytes16{});
    default: fail(ErrorKind::internal, "rows of this array have no whole bytes");
  }
}

template <class T>
const T* rows_of(const Column& column) {
  return column.values.as<T>() + column.offset;
}

// All but the rows: dtype, encoding and what it refers to. Moved rows keep to the interval of those they came from.
Column without_rows(const Column& column, int64_t rows);

memory::Buffer allocate_bits(int64_t bits, const memory::PoolPtr& pool);

// Validity of `rows` rows, or nothing if no row is null.
memory::Buffer unless_all_set(memory::Buffer bits, int64_t rows);

// Bits [bit, bit + rows) as a bitmap that starts at bit 0; shares the memory if it can.
memory::Buffer bits_from(const memory::Buffer& bits, int64_t bit, int64_t rows, const memory::PoolPtr& pool);

// The same rows with codes of `physical`, which is not narrower.
Column widen_codes(const Column& column, Physical physical, const memory::PoolPtr& pool);

}  // namespace frazil::primitives
