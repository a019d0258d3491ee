// Builds tile programs. Every value is made once: asking again for the same computation gives the same value. Values
// carry an interval, so that arithmetic runs in the narrowest type that provably holds it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "program/program.hpp"

namespace frazil::program {

using columns::Interval;

// One column of numbers, text or truth inside a program. `valid` none: no row is null.
struct Value {
  Operand operand;
  Type type = Type::none;
  Operand valid;
  std::optional<Interval> interval;  // whole numbers
  bool is_literal() const { return operand.kind == Operand::literal; }
};

// Masks may be one of these without an instruction.
constexpr Operand kAll{};  // every row

class FRAZIL_API Builder {
 public:
  explicit Builder(std::vector<SourceColumn> columns);

  const SourceColumn& source(int column) const { return program_.columns[column]; }
  int sources() const { return static_cast<int>(program_.columns.size()); }

  // Loads a column, once. A dictionary column gives its codes.
  Value column(int index);
  Value whole(int128 value);  // literal in the narrowest type
  Value real(double value, Type type = Type::f64);
  Value text(std::string value);
  Value truth(bool value);
  Value null(Type type);

  // Rows that are live here; kAll before the first filter.
  Operand live() const { return live_; }
  void filter(const Value& predicate);  // null counts as false
  void filter_mask(Operand mask);
  // Values made so far are repacked here when few rows of a tile are left.
  void compact_here();

  Value convert(const Value& value, Type type);
  Value wrap(const Value& value, Element element, const Interval& bounds);
  Value select(const Value& predicate, const Value& yes, const Value& no);
  Value map(uint16 function, Type type, Type result, std::vector<Value> arguments, std::optional<Interval> interval);
  // The failure is that of the function `raises`: a step of another function raises in its name.
  Value map_checked(uint16 function, Type type, std::vector<Value> arguments, std::optional<Interval> interval,
                    uint16 raises);
  // A function of arguments of any number and types, for the live rows. A null argument makes a null, unless the
  // function is told of nulls. `slot`: of the lane's memory for text, for functions that make some.
  Value call(uint16 function, Type result, std::span<const Value> arguments, bool told_of_nulls = false, int slot = -1);
  Value range(const Value& value, int64 low, int64 high);
  // The same for floats, between numbers or infinities. NaN is in no range.
  Value range_real(const Value& value, double low, double high);
  // The number of a float literal that is not null.
  std::optional<double> real_of(const Value& value) const;
  Value lookup(const Value& codes, int slot);
  Value mask_value(Operand mask, Operand valid);

  Operand mask_and(Operand a, Operand b);  // kAll is neutral
  Operand mask_or(Operand a, Operand b);
  Operand mask_and_not(Operand a, Operand b);
  Operand mask_not(Operand a);
  Operand mask_literal(bool value);

  // Whether an instruction may raise so far.
  bool may_raise() const;

  // Instructions with effects or states; `instruction.dst` is filled in if `result` is not none.
  Operand append(Instruction instruction, Type result);
  int add_list(std::vector<KeyField> fields);
  int add_slot(std::string what);

  void enter_node(uint16 node);  // from here on errors are for rows that are live now
  // The type in which whole numbers of this interval are computed.
  static Type narrowest(const std::optional<Interval>& interval, Type widest);

  // Every value still has a register of its own: see allocate. The builder is spent.
  Program finish();

 private:
  Operand literal(Literal literal);
  Operand reuse_or_append(const Instruction& instruction, Type result);
  Operand new_value(Type type);
  const Instruction* range_of(Operand mask) const;  // the range test that made a mask, if one did
  bool narrow_filter(const Instruction& range);

  Program program_;
  std::vector<Type> value_types_;
  std::map<std::string, Operand> known_;
  Operand live_ = kAll;
  Operand entry_ = kAll;
  uint16 node_ = 0;
};

}  // namespace frazil::program
