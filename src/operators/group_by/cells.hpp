// Accumulators of a group-by in one lane, and how lanes' accumulators combine.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "execute/assembly.hpp"
#include "lower/aggregate.hpp"
#include "memory/pool.hpp"
#include "primitives/cpu/state.hpp"

namespace frazil::operators {

// What one accumulator holds and where its values come from.
struct CellPlan {
  lower::CellKind kind;
  program::Type type = program::Type::i64;  // of the accumulator
  program::Type from = program::Type::none;
  program::Value value;  // none for counts
  int slot = -1;
};

// One accumulator for all groups of a lane or partition. Grows with its groups.
class CellColumn {
 public:
  CellColumn(const CellPlan& plan, int copies, memory::PoolPtr pool);
  void grow(int64_t groups);
  primitives::cpu::CellArray& array() { return array_; }
  const primitives::cpu::CellArray& array() const { return array_; }
  // Adds the interleaved copies into the first.
  void fold_copies();
  // Combines groups of another lane's cell, each into its place here.
  void combine(const CellColumn& other, std::span<const uint32_t> groups, std::span<const uint32_t> places);
  // The accumulators of `rows` groups, in the order of `groups` (null: as they lie), as a column of registers.
  columns::Column column(int64_t rows, const std::vector<uint32_t>* groups, const columns::DataType& type) const;
  // The column that accumulators of `cell` become, without its values.
  static columns::Column layout(program::Type cell, int64_t rows, const columns::DataType& type);
  program::Type type() const { return type_; }

 private:
  template <class T>
  void fill(int64_t from, int64_t to);
  template <class F>
  void with_type(F f) const;
  lower::CellKind kind_;
  program::Type type_;
  memory::PoolPtr pool_;
  memory::Buffer buffer_;
  primitives::cpu::CellArray array_{};
};

}  // namespace frazil::operators
