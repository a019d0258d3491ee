// The order of rows by several columns: a radix sort on 64 bits of the keys at a time, most significant first. Numbers
// are packed as close as their values allow; text gives a few bytes at a time, as long as rows are not told apart.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "columns/column.hpp"
#include "execute/scheduler.hpp"

namespace frazil::execute {

struct SortKey {
  columns::Column column;
  bool descending = false;
  bool nulls_last = false;
};

// The rows of the sorted table, by number (uint32): all of them, or the first `limit` (below 0: all). Equal rows keep
// their order. NaN is above all numbers.
memory::Buffer sorted_rows(const Context& context, std::span<const SortKey> keys, int64_t rows, int64_t limit,
                           const Parallel& parallel);

// The same order for keys in the memory of the context's device, all rows; nothing where a key holds text that has no
// dictionary.
std::optional<memory::Buffer> sorted_rows_on_device(Context& context, std::span<const SortKey> keys, int64_t rows);

}  // namespace frazil::execute
