// A tile program as the row interpreter runs it: the instructions themselves, with everything that they name in the
// device's memory. Plain data, passed to the kernel by value.
#pragma once

#include "base/target.hpp"
#include "program/instruction.hpp"

namespace frazil::primitives::cuda {

constexpr uint32 kNoPlace = 0xffffffffu;  // no row, no slot

struct RowColumn {
  const void* values;
  const uint32* validity;  // null: none
};

// What lies in a slot.
struct RowSlot {
  void* data;         // gathers: values; look-ups: truth; tables: keys; cells: accumulators
  uint32* state;      // gathers: validity; probed tables: row of a place; group tables: what is known of it
  uint64 size;        // gathers: rows; look-ups: values; tables: places
  bool dense;         // tables: keys are places
  bool has_sentinel;  // group tables: no key has all bits set, so that such a place is free
};

// States of a place in a group table.
constexpr uint32 kFree = 0, kLocked = 1, kTaken = 2;

// What a kernel leaves behind beside its results; read back at once.
struct RowOutcome {
  unsigned long long text_bytes[2];  // that functions made, or would have made: in the pass that emits, in others
  unsigned long long first_error;    // row << 16 | function; all ones: none
  uint32 full;                       // a group table was too small
  uint32 repeated;                   // a key occurred twice in the build of a table
  unsigned long long node_rows[64];
};
constexpr int kMaxRowNodes = 64;

struct RowProgram {
  // What every row reads, copied to shared memory; parts are found by their offset, which is a multiple of 16.
  const char* hot;
  int hot_bytes;
  int code_at;      // program::Instruction; registers are named by their first unit of 8 bytes, masks by their number
  int fields_at;    // program::KeyField
  int lists_at;     // int: list l has the fields from number l to number l + 1
  int literals_at;  // 16 bytes each, narrower ones at the front
  int columns_at;   // RowColumn
  int slots_at;     // RowSlot
  void* const* outputs;  // by number
  char* text;            // for what functions make
  uint64 text_capacity;
  uint32* live;           // a bit a row: written by the pass that counts, read by the pass that emits
  const uint32* offsets;  // of the rows of each word of `live` in the outputs; null: all rows are emitted
  RowOutcome* outcome;
  int64 rows;
  int steps;
  enum Pass : uint8 { only, count, emit } pass;
};

// The interpreter for so many rows a thread; each is compiled on its own.
using RowKernel = void (*)(RowProgram);
RowKernel row_kernel_1();
RowKernel row_kernel_4();
constexpr int kRowThreads = 128;
constexpr int kRowMasks = 128;  // of all rows of a thread

}  // namespace frazil::primitives::cuda
