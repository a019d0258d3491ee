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
void run_host(Tile& tile, const Instruction& i) {
  const TextMemory& memory = *static_cast<const TextMemory*>(tile.slots[i.slot]);
  RegisterView* to = primitives::cpu::result_of<RegisterView>(tile, i.dst);
  for (int row = 0; row < tile.rows; ++row) {
    const bool wanted = is_wanted(tile, i, row);
    to[row] = wanted ? keep(memory, F::apply(TileArguments{tile, tile.lists[i.list], row})) : RegisterView{};
  }
}

template <class F>
primitives::cpu::Step host_step(const Instruction&) {
  return run_host<F>;
}

}  // namespace
}  // namespace frazil::functions
#endif
