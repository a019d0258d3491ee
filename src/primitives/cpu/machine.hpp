// Runs a tile program over batches: one per lane. Instructions are looked up once; then each tile is a chain of calls.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "memory/pool.hpp"
#include "primitives/cpu/tile.hpp"
#include "primitives/cpu/verb_table.hpp"
#include "program/program.hpp"

namespace frazil::primitives::cpu {

class Machine {
 public:
  // `functions` finds the loops of functions. Throws internal where an instruction has none.
  Machine(const program::Program& program, VerbLookup functions, const memory::PoolPtr& pool,
          const std::atomic<bool>& cancelled);

  // All rows of a batch, whose columns are bound in the program's order. `slots` has one state for each slot,
  // `node_rows` a counter for each plan node. `position`: of the first row, see Op::position. Ends early where the
  // query was cancelled meanwhile.
  void run(std::span<const BoundColumn> columns, int64 rows, int64 ordinal, int64 position, void* const* slots,
           int64* node_rows);

  const RowError& error() const { return error_; }
  int64 tiles_loaded() const { return tiles_loaded_; }

 private:
  struct Bound {
    Step step;
    const Instruction* instruction;
  };
  const program::Program& program_;
  const std::atomic<bool>& cancelled_;
  std::vector<Bound> code_;
  memory::Buffer storage_;
  std::vector<void*> own_, registers_;
  std::vector<const void*> literals_;
  std::vector<uint128> literal_values_;
  std::vector<KeyList> lists_;
  std::vector<uint32> selection_;
  RowError error_;
  int64 tiles_loaded_ = 0;
};

// The newest instruction set that this CPU has: its verbs, and its place (0: v2, 1: v3, 2: v4) for other tables.
VerbLookup native_verbs();
int native_level();

// A column of a batch as programs read it.
BoundColumn bind_column(const columns::Column& column, std::vector<const char*>& characters);

// Verbs with states; null for all others.
Step state_verb(const Instruction& i);

}  // namespace frazil::primitives::cpu
