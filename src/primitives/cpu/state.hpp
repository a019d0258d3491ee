// States that the verbs with memory find in their slots. Operators own them, one per lane or shared.
#pragma once

#include "primitives/cpu/group_table.hpp"
#include "primitives/cpu/join_table.hpp"
#include "primitives/cpu/tile.hpp"

namespace frazil::primitives::cpu {

// A group table of one kind of key and the cells that follow it.
class GroupState {
 public:
  virtual ~GroupState() = default;
  std::unique_ptr<GroupTable<uint64>> narrow;
  std::unique_ptr<GroupTable<uint128>> wide;
  std::unique_ptr<GroupTable<program::RegisterView>> text;
  uint32 size() const { return narrow ? narrow->size() : wide ? wide->size() : text->size(); }
  // Called after rows were given groups: every cell must hold size() groups.
  virtual void grow_cells() = 0;
};

// A finished build side, shared by all lanes.
struct ProbeState {
  const JoinTable<uint64>* narrow = nullptr;
  const JoinTable<uint128>* wide = nullptr;
  const JoinTable<program::RegisterView>* text = nullptr;
};

// A column fetched by row number. Numbers at or above `rows` (kNoRow, codes of null rows) read as nothing.
struct GatherState {
  BoundColumn column;
  uint32 rows;
};

}  // namespace frazil::primitives::cpu
