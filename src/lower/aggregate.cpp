#include "lower/aggregate.hpp"

namespace frazil::lower {

using plan::Expression;
using plan::ExpressionPtr;

namespace {

bool is_aggregate(const Expressions& expressions, const Expression& expression) {
  return expression.kind == Expression::Kind::call &&
         plan::aggregates(expressions.functions().at(expressions.resolve(expression)).info->shape);
}

int request_cell(Aggregates& aggregates, CellKind kind, ExpressionPtr argument) {
  for (size_t c = 0; c < aggregates.cells.size(); ++c) {
    const CellRequest& cell = aggregates.cells[c];
    const bool same = cell.argument && argument ? *cell.argument == *argument : cell.argument == argument;
    if (cell.kind == kind && same) return static_cast<int>(c);
  }
  aggregates.cells.push_back({kind, std::move(argument)});
  return static_cast<int>(aggregates.cells.size() - 1);
}

ExpressionPtr take_out(const Expressions& expressions, const ExpressionPtr& expression, Aggregates& aggregates) {
  if (expression->kind != Expression::Kind::call) return expression;
  if (!is_aggregate(expressions, *expression)) {
    std::vector<ExpressionPtr> arguments;
    for (const auto& argument : expression->arguments) arguments.push_back(take_out(expressions, argument, aggregates));
    return plan::call(expression->name, std::move(arguments), expression->type, expression->payload);
  }
  for (const AggregateCall& known : aggregates.calls) {
    if (*known.call == *expression) return plan::column(known.column, expression->type);
  }
  for (const SegmentedAggregate& known : aggregates.segmented) {
    if (*known.call == *expression) return plan::column(known.column, expression->type);
  }
  const std::string column = "aggregate " + std::to_string(aggregates.calls.size() + aggregates.segmented.size());
  const Function& function = expressions.functions().at(expressions.resolve(*expression));
  if (function.info->shape == plan::Shape::segmented) {
    aggregates.segmented.push_back({expression, column});
    return plan::column(column, expression->type);
  }
  std::vector<DataType> types;
  for (const auto& argument : expression->arguments) types.push_back(argument->type);
  AggregateCall call{expression, {}, column};
  for (CellKind kind : function.cells({types, expression->type, expression->payload})) {
    const bool needs_argument = kind != CellKind::count_all;
    call.cells.push_back(request_cell(aggregates, kind, needs_argument ? expression->arguments[0] : nullptr));
  }
  aggregates.calls.push_back(call);
  return plan::column(column, expression->type);
}

}  // namespace

Aggregates split_aggregates(const Expressions& expressions, const std::vector<plan::Named>& items) {
  Aggregates aggregates;
  for (const plan::Named& item : items) {
    aggregates.outputs.push_back({item.name, take_out(expressions, item.expression, aggregates)});
  }
  return aggregates;
}

bool is_aggregated(const Expressions& expressions, const Expression& expression) {
  if (expression.kind == Expression::Kind::column) return false;
  if (expression.kind == Expression::Kind::literal || is_aggregate(expressions, expression)) return true;
  for (const auto& argument : expression.arguments) {
    if (!is_aggregated(expressions, *argument)) return false;
  }
  return true;
}

}  // namespace frazil::lower
