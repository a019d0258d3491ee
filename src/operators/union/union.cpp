// The rows of several inputs, one input after the other.
#include <algorithm>

#include "execute/materialise.hpp"
#include "execute/resident.hpp"
#include "lower/lowering.hpp"

namespace frazil::operators {
namespace {

using execute::Parked;

void check(lower::Checker& checker, const plan::Node& node) {
  for (const plan::NodePtr& input : node.inputs) {
    if (input->schema != node.schema) checker.refuse("union_columns", "an input has other columns than the union");
  }
}

// The batches of the inputs, whose columns may be in another order than the first input's.
std::vector<Parked> gathered(execute::Context& context, const columns::Schema& schema,
                             const std::vector<std::shared_ptr<execute::Collect>>& inputs) {
  std::vector<Parked> all;
  for (const auto& input : inputs) {
    std::vector<size_t> places;
    for (const columns::Field& field : schema) {
      const auto& made = input->schema();
      const auto found = std::find_if(made.begin(), made.end(), [&](const auto& f) { return f.name == field.name; });
      places.push_back(static_cast<size_t>(found - made.begin()));
    }
    for (Parked& batch : input->batches()) {
      columns::Batch ordered{batch.rows(), {}};
      const columns::Batch loaded =
          batch.is_on_device() ? context.resident->download(context, batch.load()) : batch.load();
      for (size_t place : places) ordered.columns.push_back(loaded.columns[place]);
      batch = Parked(context.parking, std::move(ordered));
      all.push_back(std::move(batch));
    }
    input->batches().clear();
  }
  return all;
}

lower::Open lower_union(lower::Lowering& lowering, const plan::NodePtr& node) {
  std::vector<std::shared_ptr<execute::Collect>> inputs;
  lower::Open result;
  for (const plan::NodePtr& input : node->inputs) {
    lower::Open open = lowering.lower(input);
    result.rows += open.rows;
    inputs.push_back(std::make_shared<execute::Collect>());
    lowering.close(std::move(open), inputs.back(), node);
  }
  const auto number = static_cast<size_t>(lowering.number(node));
  auto made = std::make_shared<execute::SourcePtr>();  // once, whoever reads it
  result.source = [inputs, node, number, made](execute::Context& context) {
    if (*made) return *made;
    std::vector<Parked> rows = gathered(context, node->schema, inputs);
    context.nodes[number].rows += execute::rows_of(rows);
    return *made = execute::parked_source(context, node->schema, std::move(rows));
  };
  return result;
}

}  // namespace

extern const lower::Operator union_operator;
const lower::Operator union_operator{"union", "The rows of several inputs, one input after the other.", check,
                                     lower_union};

}  // namespace frazil::operators
