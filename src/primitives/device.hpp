// An accelerator that runs tile programs on columns in its own memory. The core knows only this interface; what
// implements it is a library that is opened at run time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "primitives/cpu/tile.hpp"
#include "program/program.hpp"

namespace frazil::primitives {

// Columns in a device's memory start at row 0, are never constant, and their views hold addresses there, as those in
// registers do. Physical arrays none and offsets have no place there.
inline bool fits_device(columns::Physical physical) {
  return physical != columns::Physical::none && physical != columns::Physical::offsets;
}

// A build side's rows by key, in the device's memory.
class DeviceTable {
 public:
  virtual ~DeviceTable() = default;
  virtual bool unique() const = 0;
};

// Rows that a probe's answers stand for: probed row probed[i] has the match build[i], kNoRow for none.
struct DeviceMatches {
  int64_t rows = 0;
  memory::Buffer probed, build;  // uint32
};

// What stands in a slot of a program and comes from outside of it; at most one is set.
struct DeviceSlot {
  const cpu::LookupTable* lookup = nullptr;
  const columns::Column* column = nullptr;   // that is gathered from
  std::shared_ptr<const DeviceTable> table;  // that is probed
};

// All rows of a source through a program (values not yet in registers) that ends in cells, groups or emits.
struct DeviceRun {
  const program::Program& program;
  std::span<const columns::Column> columns;  // in the program's order; those it does not name may be empty
  int64_t rows = 0;
  std::vector<DeviceSlot> slots;
  std::vector<int> cells;  // slots of the accumulators, in the order of the result
  int64_t groups = 1;      // without Op::group: group numbers are below it
  int key_bits = 128;      // with Op::group: packed keys are below 2^key_bits
  int64_t nodes = 0;       // plan nodes that rows are counted for
};

struct DeviceRows {
  // Rows that were emitted, and the array of each number: masks a byte a row, numbers of groups below `groups`.
  int64_t rows = 0;
  std::vector<memory::Buffer> arrays;
  // Of Op::group: how many there are; their keys, then their cells.
  int64_t groups = 0;
  std::vector<memory::Buffer> group_arrays;
  std::vector<memory::Buffer> characters;     // that views in the arrays point into
  std::vector<std::vector<std::byte>> cells;  // without Op::group: accumulators by group number, on the host
  std::vector<int64_t> node_rows;
  cpu::RowError error;
  int64_t launches = 0;
  double kernel_seconds = 0;  // by the device's own clock
  int64_t bytes_read = 0;     // of columns that the program names, read in full
};

struct DeviceSortKey {
  const columns::Column* column;  // in device memory
  bool descending;
  bool nulls_last;
  std::vector<uint32_t> ranks;  // of a dictionary's values; else empty
};

// How a key column lies in packed keys of 64 bits.
struct DeviceKeyField {
  program::Type type;
  bool nullable;
  int shift, bits;
  int64_t base;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;         // "cuda:0"
  virtual std::string description() const = 0;  // the product, memory and driver
  virtual int64_t bytes_in_use() const = 0;
  virtual int64_t memory_bytes() const = 0;  // of the device in all

  virtual memory::Buffer allocate(int64_t bytes) = 0;
  // Host bytes to `offset` of a buffer of this device, and back. Done when they return.
  virtual void write(memory::Buffer& to, int64_t offset, const void* from, int64_t bytes) = 0;
  virtual void read(void* to, const memory::Buffer& from, int64_t offset, int64_t bytes) = 0;

  // Empty where the device runs the program (values not yet in registers), else what it lacks.
  virtual std::string lacks(const program::Program& program) const = 0;
  virtual DeviceRows run(const DeviceRun& run) = 0;

  // A table of packed keys of 64 or 128 bits below 2^bits, or of views. Rows without a valid key have none. Where a
  // key has several rows a probe finds one that stands for them; with `all_rows` the others can be asked for.
  virtual std::shared_ptr<const DeviceTable> build_table(const columns::Column& keys, int bits, bool all_rows) = 0;
  // All matches of `rows` rows for which a probe found these rows, in the order of both sides. A row that found none
  // stays one row.
  virtual DeviceMatches expand(const DeviceTable& table, const memory::Buffer& found, int64_t rows) = 0;

  // Row numbers[i] becomes row i; kNoRow gives null where `optional`.
  virtual columns::Column gather(const columns::Column& column, const memory::Buffer& numbers, int64_t rows,
                                 bool optional) = 0;
  // What emits made of registers of `type`, as whole numbers of `bytes` a row.
  virtual memory::Buffer resize(const memory::Buffer& from, program::Type type, int bytes, int64_t rows) = 0;
  // Bits of truth that lies in bytes.
  virtual memory::Buffer pack_truth(const memory::Buffer& from, int64_t rows) = 0;
  // Values (bytes a row of `to`) and validity of a key column, from packed keys.
  virtual void unpack_key(const memory::Buffer& keys, const DeviceKeyField& field, columns::Column& to) = 0;
  // Smallest interval of the valid rows of a column of whole numbers of at most 64 bits; nothing if there is none.
  virtual std::optional<columns::Interval> interval(const columns::Column& column) = 0;
  // The text of a view column's longer values one after the other, and where each begins.
  virtual void pack_text(const columns::Column& column, memory::Buffer& characters, memory::Buffer& begins) = 0;

  // How many different values each group has (uint32); null is one, all NaN are one, and so are both zeros. `numbers`:
  // of the rows' groups; empty: there is one group.
  virtual memory::Buffer count_distinct(const columns::Column& column, const memory::Buffer& numbers,
                                        int64_t groups) = 0;

  // Row numbers in the order of keys, stable. Keys hold numbers, truth or codes with ranks.
  virtual memory::Buffer order(std::span<const DeviceSortKey> keys, int64_t rows) = 0;
};

// What the library exports: opens device `index`, or throws Error(device).
using OpenDevice = Device* (*)(int index);
constexpr const char* kOpenDevice = "frazil_open_device";

}  // namespace frazil::primitives
