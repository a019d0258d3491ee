// The table of a build side, and the rows of each key where keys repeat.
#pragma once

#include <bit>
#include <vector>

#include "primitives/cuda/row_program.hpp"
#include "primitives/device.hpp"

namespace frazil::primitives::cuda {

inline int64_t power_of_two(int64_t at_least) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least)));
}
constexpr int64_t kMostPlaces = int64_t{1} << 31;  // of a table

class CudaTable : public DeviceTable {
 public:
  bool unique() const override { return unique_; }
  RowSlot slot{};
  memory::Buffer keys, rows;               // of the table's places
  std::vector<memory::Buffer> characters;  // of keys that are views
  // Not unique: the rows with the key of row r, for which r stands in the table, are run_rows[run_begin[r]] up to
  // run_rows[run_begin[r + 1]], in order. Other rows have no such.
  memory::Buffer run_begin, run_rows;
  bool unique_ = true;
};

}  // namespace frazil::primitives::cuda
