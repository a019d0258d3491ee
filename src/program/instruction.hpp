// One step of a tile program. Plain data, the same for every executor.
#pragma once

#include "base/target.hpp"
#include "program/type.hpp"

namespace frazil::program {

// clang-format off
// Verbs that need more than one row or more than their operands. What a function computes a row is Op::map or Op::call.
enum class Op : uint8 {
  load,        // dst = imm + column a
  load_bits,   // dst mask = boolean column a
  load_valid,  // dst mask = validity of column a
  map,         // dst = function(a, b, c), all of one type
  call,        // dst = function(list `list`); rows of mask c, others become empty; text that it makes lies in slot
  convert,     // dst = a in another type
  wrap,        // dst = a cut to the `element` that holds the dtype, as two's complement does
  select,      // dst = mask a ? b : c
  mask_and, mask_or, mask_and_not, mask_not,
  range,       // dst mask = imm <= a <= imm2; bounds of 64 bits, for floats the bits of doubles
  lookup,      // dst mask = bit `a` of the table in slot: predicates on dictionary codes
  filter,      // dst mask = a & b; a tile without a live row ends here
  compact,     // repacks live rows when few are left; `imm` is the set of registers to carry, a the live mask
  pack_key,    // dst u64 or u128 = the fields of list `list`, bit-packed
  bytes_key,   // dst view = the fields of list `list`, encoded as bytes; imm 1: they are kept until the batch ends
  group,       // dst row = number of key a in the group table of slot, inserted if new; rows of mask c
  probe,       // dst row = row of key a in the hash table of slot, or kNoRow; rows of mask c
  matched,     // dst mask = row register a found something
  position,    // dst i64 = place of the row among all that its source brings, those of other lanes too
  gather,      // dst = build-side column in slot at rows a
  gather_valid,
  cell_add, cell_min, cell_max, cell_count,  // accumulators in slot: value a, group b (none: one group), rows of mask c
  emit,        // append live values of a to output column `imm` in slot; rows of mask c
  emit_mask,   // the same for a mask
  emit_rows,   // append the batch row numbers of the live rows of mask c
  count_rows,  // adds the live rows of mask c to what `node` has produced
};
// clang-format on
constexpr int kOps = static_cast<int>(Op::count_rows) + 1;

struct Operand {
  enum Kind : uint8 { none, value, column, literal } kind = none;
  uint16 index = 0;
  FZ_HD constexpr explicit operator bool() const { return kind != none; }
  FZ_HD constexpr bool operator==(const Operand& o) const { return kind == o.kind && index == o.index; }
};

struct Instruction {
  Op op;
  Type type = Type::none;           // what dst, or what is summed, is computed in
  Type from = Type::none;           // convert, cells, keys: type of a
  Element element = Element::none;  // load, gather: what the column holds; wrap: what to cut to
  uint16 function = 0;              // map
  uint16 node = 0;                  // plan node that an error is reported for
  int16 slot = -1;
  int16 list = -1;
  Operand dst, a, b, c;
  Operand entry;            // instructions that may fail: rows that were live on entry to their plan node
  int64 imm = 0, imm2 = 0;  // map: imm 1 if it may fail, with the failure of function imm2
};

// A field of a key: how an operand is packed. Packed value 0 is null where `nullable`. Or an argument of a call, which
// needs no more than the first three.
struct KeyField {
  Operand value;
  Operand valid;  // none: never null
  Type type;
  bool nullable;
  uint8 shift;  // bits below this field
  uint8 bits;
  int128 base;    // lowest value
  uint64 states;  // packed values are below it; 0: more than 64 bits
  bool operator==(const KeyField&) const = default;
};

}  // namespace frazil::program
