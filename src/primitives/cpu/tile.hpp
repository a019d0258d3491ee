// What a CPU instruction works on: one tile of rows, its registers and the states of its lane. Plain data and always
// inlined text: this file is compiled for several instruction sets, so it must leave no functions for the linker to
// merge.
#pragma once

#include "base/target.hpp"
#include "program/instruction.hpp"

namespace frazil::primitives::cpu {

using program::Element;
using program::Instruction;
using program::Operand;
using program::Type;

constexpr int kTileRows = 1024;
constexpr int kTileWords = kTileRows / 64;

// A column of a batch as loads see it; row 0 is the batch's first row.
struct BoundColumn {
  const void* values;             // at row 0; null for bit columns, which use `bits`
  const char* const* characters;  // buffers of views
  const uint8* bits;              // booleans, with `bit_offset`
  const uint8* validity;          // null: no nulls
  int64 bit_offset;               // of row 0 in bits and validity
  bool constant;                  // row 0 stands for all
};

// The first row that raised, by its place in the order of the source.
struct RowError {
  int64 row = -1;
  uint16 function = 0;
  uint16 node = 0;
};

// The fields of one key.
struct KeyList {
  const program::KeyField* begin_;
  const program::KeyField* end_;
  FZ_HD const program::KeyField* begin() const { return begin_; }
  FZ_HD const program::KeyField* end() const { return end_; }
};

struct Tile {
  int rows;
  bool dead;                // no row is live any more
  int64 base;               // batch row of row 0
  const uint32* selection;  // after compact: row i is batch row base + selection[i]
  uint32* selection_own;
  const BoundColumn* columns;
  void** registers;  // where each register lies now; loads may point into columns
  void* const* own;  // storage of each register
  const void* const* literals;
  void* const* slots;
  const Type* types;  // of registers
  const KeyList* lists;
  int64 tiles_loaded;  // counts column tiles read
  int64* node_rows;    // rows that each plan node has produced
  int64 ordinal;       // place of the batch's first row in its source
  int64 position;      // of the batch's first row: see Op::position
  RowError error;
};

using Step = void (*)(Tile&, const Instruction&);

FZ_HD uint64 tail_word(const Tile& tile, int word) {
  int rest = tile.rows - word * 64;
  return rest >= 64 ? ~0ull : rest <= 0 ? 0ull : (1ull << rest) - 1;
}
// Word `word` of a mask; bits of rows that do not exist are 0.
FZ_HD uint64 mask_word(const Tile& tile, const Operand& mask, int word) {
  if (!mask) return tail_word(tile, word);
  return static_cast<const uint64*>(tile.registers[mask.index])[word];
}
FZ_HD int words_of(const Tile& tile) { return (tile.rows + 63) >> 6; }

template <class T>
FZ_HD const T* values_of(const Tile& tile, const Operand& operand) {
  return static_cast<const T*>(operand.kind == Operand::literal ? tile.literals[operand.index]
                                                                : tile.registers[operand.index]);
}
template <class T>
FZ_HD T* result_of(Tile& tile, const Operand& dst) {
  tile.registers[dst.index] = tile.own[dst.index];
  return static_cast<T*>(tile.own[dst.index]);
}
FZ_HD int64 batch_row(const Tile& tile, int row) {
  return tile.base + (tile.selection ? static_cast<int64>(tile.selection[row]) : row);
}

// Packs 64 truth bytes (0 or 1) into a word. Eight bytes at a time: the product moves bit 0 of each byte to the top.
FZ_HD uint64 pack_bytes(const uint8* truth) {
  uint64 word = 0;
  for (int j = 0; j < 8; ++j) {
    uint64 eight;
    __builtin_memcpy(&eight, truth + j * 8, 8);
    word |= ((eight * 0x0102040810204080ull) >> 56) << (j * 8);
  }
  return word;
}

// Calls f(row) for each set bit of a mask.
template <class F>
FZ_HD void each_row(const Tile& tile, const Operand& mask, F f) {
  for (int w = 0, words = words_of(tile); w < words; ++w) {
    uint64 word = mask_word(tile, mask, w);
    if (word == ~0ull) {
      for (int k = w * 64; k < w * 64 + 64; ++k) f(k);
    } else {
      for (; word; word &= word - 1) f(w * 64 + __builtin_ctzll(word));
    }
  }
}

// States that verbs find in their slots. Their owners are in execute and operators.

// Accumulators of one cell: `copies` interleaved sets of `capacity` groups break chains of additions to one group.
struct CellArray {
  void* data;
  int64 capacity;
  int copies;  // 1 or 4
};

// Where functions of a lane put the text that they make; it lasts until the batch has been materialised.
struct TextMemory {
  void* owner;
  char* (*allocate)(void* owner, int64 bytes);
};

// Truth by dictionary code; codes of null rows may be anything.
struct LookupTable {
  const uint8* truth;
  uint32 size;
};

// Where emits append; the owner provides room for a batch before its first tile.
struct OutputArray {
  void* values;  // by the register's type; masks one byte a row
  int64 rows;    // appended so far
};

}  // namespace frazil::primitives::cpu
