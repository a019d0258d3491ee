// Verbs that move rows of a column without looking at what they mean. All keep the dtype and, but for concatenate of
// unlike encodings and decode, the encoding. Views keep pointing into the buffers they came with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "memory/pool.hpp"

namespace frazil::primitives {

using columns::Column;

constexpr uint32_t kNoRow = 0xffffffffu;  // gather: this row becomes null

// Rows whose bit is set in `mask` (packed, bit 0 = row 0, at least `column.rows` bits). `kept` is the count of set
// bits.
FRAZIL_API Column filter(const Column& column, const uint64_t* mask, int64_t kept, const memory::PoolPtr& pool);

// Row `indices[i]` becomes row i; kNoRow gives null.
FRAZIL_API Column gather(const Column& column, std::span<const uint32_t> indices, const memory::PoolPtr& pool);

// All rows, one after the other. Pieces share a dtype; their encodings and dictionaries may differ.
FRAZIL_API Column concatenate(std::span<const Column> pieces, const memory::PoolPtr& pool);

// The same rows with encoding plain and the physical array that Arrow has for the dtype.
FRAZIL_API Column decode(const Column& column, const memory::PoolPtr& pool);

// `rows` nulls.
FRAZIL_API Column nulls(const columns::DataType& type, int64_t rows, const memory::PoolPtr& pool);

}  // namespace frazil::primitives
