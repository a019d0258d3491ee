// A tile program as the CUDA interpreter runs it: columns are read where they are used, sums are folded into what makes
// their values, and filters into the tests that they wait for. Plain data, passed to the kernel by value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/target.hpp"
#include "program/program.hpp"

namespace frazil::primitives::cuda {

using program::Element;

enum class DeviceOp : uint8 {
  move,      // value = a
  function,  // value = function(a, b, parameter)
  sum,       // the value alone
  count,
  count_rows,   // of live rows, for a plan node
  group_field,  // group += (a - low) * high, in bytes; nullable: 0 for null (mask_a is the validity), one more else
  // The rest makes masks.
  predicate,  // function(a, b)
  range,      // low <= a <= high
  lookup,     // table[a]
  valid,      // validity of column a
  mask_and,
  mask_or,
  mask_and_not,
  mask_not,
};

constexpr uint8 kNone = 255;
constexpr uint8 kLive = 254;  // as a mask: the rows that are live

// Where a value is read: a register, a literal of the step, or a column with elements of the kind's type.
struct DeviceOperand {
  enum Kind : uint8 { none, reg, literal, i8, u8, i16, u16, i32, u32, i64, f64 } kind = none;
  uint8 index = 0;
  bool is_column() const { return kind > literal; }
};

// Flags of a step.
constexpr uint8 kFilters = 1;   // the mask narrows the live rows instead of being kept
constexpr uint8 kNullable = 2;  // of a group's field: null is a value of its own
constexpr uint8 kWhole = 4;     // operand a holds integers of 32 bits, whatever the program's word is
constexpr uint8 kLiteralFirst = 8;
constexpr uint16 kNoFunction = 0xffff;

// What every step looks at: 16 bytes, so that the next step's arrive while this one runs.
struct alignas(16) StepHead {
  DeviceOp op;
  uint8 dst = kNone;     // register, or mask register
  uint8 cell = kNone;    // accumulator that the value is added to; counter of count_rows
  uint8 cell_a = kNone;  // accumulators that the operands are added to
  uint8 cell_b = kNone;
  uint8 mask_a = kNone;  // operands of mask verbs (kNone: all rows); the rows of sums and counts (kNone: live rows)
  uint8 mask_b = kNone;
  uint8 flags = 0;
  DeviceOperand a, b;
  uint16 function = 0;
  uint16 inner = kNoFunction;  // operand b is inner(b, literal), or inner(literal, b)
};

struct DeviceStep : StepHead {
  int64 low = 0, high = 0;  // bounds; literal and parameter of functions
  int64 extra = 0;          // literal b, or that of the inner function
};
static_assert(sizeof(StepHead) == 16);

constexpr int kMaxSteps = 48;
constexpr int kMaxColumns = 16;
constexpr int kMaxCells = 16;
constexpr int kMaxNodes = 4;

struct DeviceColumn {
  const void* values;
  const uint32* validity;  // null: none
  int64 base;              // added to what is read
  uint8 bytes;             // of an element
  bool late;               // only read after a filter
};

struct DeviceProgram {
  DeviceStep steps[kMaxSteps + 1];  // one more, since heads are read ahead
  DeviceColumn columns[kMaxColumns];
  const uint8* tables[kMaxColumns];  // lookups, by DeviceStep::low
  int step_count = 0;
  int column_count = 0;
  int registers = 0;
  int masks = 0;
  int cells = 0;
  int groups = 1;         // of the mixed-radix group number
  int copies = 1;         // sets of accumulators a block has: its threads share them evenly
  uint32 cell_bytes = 0;  // of an accumulator: all its groups and copies
  int nodes = 0;
  uint32 float_cells = 0;  // bit per accumulator that holds floats
};

enum class Word : uint8 { i32, i64, f64 };  // what all registers of a program hold

// Everything about a folded program but its addresses.
struct Folded {
  DeviceProgram program;
  Word word = Word::i32;
  std::vector<int> column_of;                        // device column -> program column
  std::vector<int> table_slot;                       // table -> slot
  std::vector<std::pair<int, int>> counter_of_node;  // plan node, counter
  // Mixed-radix digits of the group number, least significant first, and where each lies in the packed key.
  struct Digit {
    int64 states;
    int shift;
  };
  std::vector<Digit> digits;
  std::string lacks;  // not empty: what the device cannot do
};

// `cells`: the slots of the accumulators, in order; `is_float` theirs.
Folded fold(const program::Program& program, const std::vector<int>& cell_slots);

}  // namespace frazil::primitives::cuda
