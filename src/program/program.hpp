// A finished tile program: what a pipeline does to each tile of rows. Executors read it, `print` shows it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "program/instruction.hpp"

namespace frazil::program {

// A column as a program reads it: the physical layout is the same in every batch of a source.
struct SourceColumn {
  std::string name;
  columns::DataType type;
  Element element = Element::none;  // of the physical array
  columns::Encoding encoding = columns::Encoding::plain;
  int128 base = 0;  // encoding narrow
  bool nullable = true;
  std::optional<columns::Interval> interval;
  std::shared_ptr<const columns::Column> dictionary;  // encoding dictionary, complete
};

struct Literal {
  Type type;
  int128 bits = 0;   // whole numbers; floats by their bits
  std::string text;  // views
};

struct Program {
  std::vector<SourceColumn> columns;
  std::vector<Literal> literals;
  std::vector<Instruction> code;
  std::vector<std::vector<KeyField>> lists;
  std::vector<Type> registers;     // what each register holds; one per value before `allocate`
  std::vector<std::string> slots;  // what lies in each slot, for people
};

// Names of functions for people; index is Instruction::function.
using FunctionNames = std::vector<std::string>;

FRAZIL_API std::string print(const Program& program, const FunctionNames& functions);

// Drops what nobody reads, and gives values registers by liveness, so that few are in flight.
FRAZIL_API Program allocate(Program program);

// Throws internal if an instruction reads what was not written, or mixes types.
FRAZIL_API void verify(const Program& program);

}  // namespace frazil::program
