// An accelerator that runs tile programs on columns in its own memory. The core knows only this interface; what
// implements it is a library that is opened at run time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "primitives/cpu/tile.hpp"
#include "program/program.hpp"

namespace frazil::primitives {

// What a program on the device accumulates: cells by group. Group numbers are packed keys as in Op::pack_key.
struct DeviceAggregation {
  struct Cell {
    int slot;
    bool is_float;
  };
  std::vector<Cell> cells;
  int64_t groups = 1;  // packed numbers are below it
};

// The sums of all rows: 8 bytes a cell and group, [cell][group]; whole numbers or floats as the cell says.
struct DeviceTotals {
  std::vector<std::vector<uint64_t>> cells;
  std::vector<int64_t> node_rows;  // by plan node
  int64_t launches = 0;
  double kernel_seconds = 0;  // by the device's own clock
  int64_t bytes_read = 0;     // of columns that the program names, read in full
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;         // "cuda:0"
  virtual std::string description() const = 0;  // the product, memory and driver
  virtual int64_t bytes_in_use() const = 0;
  virtual int64_t memory_bytes() const = 0;  // of the device in all

  // Device memory for `bytes`; filled by copy().
  virtual memory::Buffer allocate(int64_t bytes) = 0;
  // Host bytes to `offset` of a buffer of this device. Done when it returns.
  virtual void copy(memory::Buffer& to, int64_t offset, const void* from, int64_t bytes) = 0;

  // Empty where the device runs the program (values not yet in registers), else what it lacks.
  virtual std::string lacks(const program::Program& program, const DeviceAggregation& aggregation) const = 0;
  // All rows of `columns` (in this device's memory, in the program's order) through the program.
  // `lookups` has the table of each slot that is one, else null.
  virtual DeviceTotals aggregate(const program::Program& program, const DeviceAggregation& aggregation,
                                 std::span<const columns::Column> columns, int64_t rows,
                                 std::span<const cpu::LookupTable* const> lookups, int64_t nodes) = 0;
};

// What the library exports: opens device `index`, or throws Error(device).
using OpenDevice = Device* (*)(int index);
constexpr const char* kOpenDevice = "frazil_open_device";

}  // namespace frazil::primitives
