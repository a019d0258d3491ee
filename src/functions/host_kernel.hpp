// How functions of the shape host become loops over a tile. They may use std, so this is compiled once, for the host.
#pragma once

#ifdef FZ_HOST
#include <cstring>
#include <string>

#include "functions/call_kernel.hpp"

namespace frazil::functions {

namespace {

inline RegisterView keep(const TextMemory& memory, const std::string& text) {
  const char* at = text.data();
  if (text.size() > RegisterView::kInline) {
    char* to = memory.allocate(memory.owner, static_cast<int64>(text.size()));
    at = static_cast<const char*>(std::memcpy(to, text.data(), text.size()));
  }
  return program::view_of(at, static_cast<uint32>(text.size()));
}

template <class F>
void run_host_number(Tile& tile, const Instruction& i) {
  using T = decltype(F::apply(TileArguments{tile, tile.lists[i.list], 0}));
  T* to = primitives::cpu::result_of<T>(tile, i.dst);
  for (int row = 0; row < tile.rows; ++row) {
    to[row] = is_wanted(tile, i, row) ? F::apply(TileArguments{tile, tile.lists[i.list], row}) : T{};
  }
}

template <class F>
void run_host(Tile& tile, const Instruction& i) {
  const TextMemory& memory = *static_cast<const TextMemory*>(tile.slots[i.slot]);
  RegisterView* to = primitives::cpu::result_of<RegisterView>(tile, i.dst);
  for (int row = 0; row < tile.rows; ++row) {
    const bool wanted = is_wanted(tile, i, row);
    to[row] = wanted ? keep(memory, F::apply(TileArguments{tile, tile.lists[i.list], row})) : RegisterView{};
  }
}

template <class F>
void run_host_test(Tile& tile, const Instruction& i) {
  const typename F::Bound& bound = *static_cast<const typename F::Bound*>(tile.slots[i.slot]);
  uint64* to = primitives::cpu::result_of<uint64>(tile, i.dst);
  std::memset(to, 0, sizeof(uint64) * static_cast<size_t>(primitives::cpu::words_of(tile)));
  primitives::cpu::each_row(tile, i.c, [&](int row) {
    const bool truth = F::apply(TileArguments{tile, tile.lists[i.list], row}, bound);
    to[row >> 6] |= static_cast<uint64>(truth) << (row & 63);
  });
}

template <class F>
primitives::cpu::Step host_step(const Instruction&) {
  if constexpr (F::info.to_mask) return run_host_test<F>;
  else if constexpr (kSame<decltype(F::apply(TileArguments{Tile{}, {}, 0})), std::string>) return run_host<F>;
  else return run_host_number<F>;
}

}  // namespace
}  // namespace frazil::functions
#endif
