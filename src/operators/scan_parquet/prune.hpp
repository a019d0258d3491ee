// Which row groups cannot have a row that a predicate keeps, told from their statistics.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "columns/column.hpp"
#include "plan/expression.hpp"

namespace frazil::operators {

// What is known of a column in a row group.
struct ColumnFacts {
  bool all_null = false;
  std::optional<columns::Interval> bounds;  // of its values; whole numbers
};
using FactsOf = std::function<ColumnFacts(const std::string& column)>;

// Whether no row has one of these values; nulls are none.
bool excludes(const ColumnFacts& facts, const columns::Interval& values);

// Whether no row can fulfil this conjunct: a comparison of a whole-number column with literals. Others give false.
bool contradicts(const plan::Expression& conjunct, const FactsOf& facts_of);

}  // namespace frazil::operators
