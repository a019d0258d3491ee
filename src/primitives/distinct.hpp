// Values told apart by number, whatever their dtype: what counting distinct values builds on.
#pragma once

#include <cstdint>
#include <span>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "memory/pool.hpp"

namespace frazil::primitives {

// Row rows[i] has the number numbers[i]. Equal values have equal numbers, all below `count`; null has 0. All NaN are
// equal, and so are both zeros.
struct NumberedValues {
  memory::Buffer numbers;  // uint32
  uint32_t count;
  const uint32_t* begin() const { return numbers.as<uint32_t>(); }
};

// Numbers, booleans, text, and dictionaries of text.
FRAZIL_API NumberedValues number_values(const columns::Column& column, std::span<const uint32_t> rows,
                                        const memory::PoolPtr& pool);

}  // namespace frazil::primitives
