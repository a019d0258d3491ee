// The order of rows by several columns. Keys that fit are packed into one order-preserving number per row; text that
// has no dictionary is compared as it lies.
#pragma once

#include <span>
#include <vector>

#include "columns/column.hpp"
#include "execute/context.hpp"

namespace frazil::execute {

struct SortKey {
  columns::Column column;
  bool descending = false;
  bool nulls_last = false;
};

// The rows of the sorted table, by number: all of them, or the first `limit` (below 0: all). Equal rows keep their
// order. NaN is above all numbers.
std::vector<uint32_t> sorted_rows(const Context& context, std::span<const SortKey> keys, int64_t rows, int64_t limit);

// The same for keys in the memory of the context's device, all rows; nothing where a key holds text that has no
// dictionary.
std::optional<memory::Buffer> sorted_rows_on_device(Context& context, std::span<const SortKey> keys, int64_t rows);

}  // namespace frazil::execute
