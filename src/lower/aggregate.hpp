// Expressions over and inside aggregates: the aggregates are taken out, accumulated, and put back as columns.
#pragma once

#include <string>
#include <vector>

#include "lower/expression.hpp"
#include "plan/node.hpp"

namespace frazil::lower {

// One accumulator that a group-by keeps: shared by all aggregates that need it.
struct CellRequest {
  CellKind kind;
  plan::ExpressionPtr argument;  // null: rows are counted
};

// One aggregate call and the accumulators that it is made of.
struct AggregateCall {
  plan::ExpressionPtr call;
  std::vector<int> cells;  // indices into Aggregates::cells
  std::string column;      // name of its result while the rest of the expression is computed
};

// One aggregate call that needs all values of a group at once.
struct SegmentedAggregate {
  plan::ExpressionPtr call;
  std::string column;  // name of its result, as above
};

struct Aggregates {
  std::vector<CellRequest> cells;
  std::vector<AggregateCall> calls;
  std::vector<SegmentedAggregate> segmented;
  std::vector<plan::Named> outputs;  // the expressions, aggregates replaced by columns
};

Aggregates split_aggregates(const Expressions& expressions, const std::vector<plan::Named>& items);

// Refuses what is neither aggregated nor a literal.
bool is_aggregated(const Expressions& expressions, const plan::Expression& expression);

}  // namespace frazil::lower
