// How functions of the shapes view and string become loops over a tile on the CPU. Compiled once per instruction set,
// as map_kernel.hpp is.
#pragma once

#include "functions/map_kernel.hpp"

namespace frazil::functions {

using primitives::cpu::TextMemory;
using program::RegisterView;

namespace {

// The arguments of one row of a call: what functions of the shapes view, string and host read.
struct TileArguments {
  const Tile& tile;
  const primitives::cpu::KeyList& list;
  int row;

  FZ_HD int size() const { return static_cast<int>(list.end() - list.begin()); }
  FZ_HD bool valid(int k) const {
    return primitives::cpu::mask_word(tile, list.begin()[k].valid, row >> 6) >> (row & 63) & 1;
  }
  FZ_HD const RegisterView& text(int k) const { return value<RegisterView>(list.begin()[k].value); }
  FZ_HD int128 whole(int k) const {
    const program::KeyField& field = list.begin()[k];
    switch (field.type) {
      case Type::i32: return value<int32>(field.value);
      case Type::i64: return value<int64>(field.value);
      case Type::u64: return value<uint64>(field.value);
      default: return value<int128>(field.value);
    }
  }

 private:
  template <class T>
  FZ_HD const T& value(const Operand& operand) const {
    return primitives::cpu::values_of<T>(tile, operand)[operand.kind == Operand::literal ? 0 : row];
  }
};

FZ_HD bool is_wanted(const Tile& tile, const Instruction& i, int row) {
  return primitives::cpu::mask_word(tile, i.c, row >> 6) >> (row & 63) & 1;
}

template <class F>
void run_view(Tile& tile, const Instruction& i) {
  using T = decltype(F::apply(TileArguments{tile, tile.lists[i.list], 0}));
  T* to = primitives::cpu::result_of<T>(tile, i.dst);
  for (int row = 0; row < tile.rows; ++row) {
    to[row] = is_wanted(tile, i, row) ? F::apply(TileArguments{tile, tile.lists[i.list], row}) : T{};
  }
}

// The first pass measures, so that a tile's text is one piece of memory; the second writes. Short text needs none.
template <class F>
void run_string(Tile& tile, const Instruction& i) {
  RegisterView* to = primitives::cpu::result_of<RegisterView>(tile, i.dst);
  const TextMemory& memory = *static_cast<const TextMemory*>(tile.slots[i.slot]);
  int64 bytes[primitives::cpu::kTileRows];
  int64 total = 0;
  for (int row = 0; row < tile.rows; ++row) {
    bytes[row] = is_wanted(tile, i, row) ? F::bytes(TileArguments{tile, tile.lists[i.list], row}) : 0;
    total += bytes[row] > RegisterView::kInline ? bytes[row] : 0;
  }
  char* at = total > 0 ? memory.allocate(memory.owner, total) : nullptr;
  for (int row = 0; row < tile.rows; ++row) {
    char few[RegisterView::kInline];
    char* begin = bytes[row] > RegisterView::kInline ? at : few;
    if (bytes[row] > 0) F::write(TileArguments{tile, tile.lists[i.list], row}, begin);
    to[row] = program::view_of(begin, static_cast<uint32>(bytes[row]));
    at += bytes[row] > RegisterView::kInline ? bytes[row] : 0;
  }
}

template <class F>
primitives::cpu::Step view_step(const Instruction&) {
  return run_view<F>;
}
template <class F>
primitives::cpu::Step string_step(const Instruction&) {
  return run_string<F>;
}

}  // namespace
}  // namespace frazil::functions
