// The columns of several inputs beside each other. Where heights differ, the missing rows are nulls, or one row is
// repeated, or that is an error, as the options say.
#include <algorithm>

#include "base/error.hpp"
#include "execute/materialise.hpp"
#include "execute/resident.hpp"
#include "lower/lowering.hpp"
#include "primitives/move.hpp"

namespace frazil::operators {
namespace {

using columns::Column;
using execute::Context;
using execute::Parked;

class Side : public execute::Collect {
 public:
  Column column(Context& context, size_t c) {
    for (Parked& batch : batches()) {
      if (batch.is_on_device()) batch = Parked(context.parking, context.resident->download(context, batch.load()));
    }
    return execute::take_column(batches(), c, schema()[c].type, context.pool);
  }
};

struct Heights {
  int64_t all;
  bool repeats;  // one row beside more
};

Column stretched(Context& context, Column column, const Heights& heights) {
  if (column.rows == heights.all) return column;
  if (heights.repeats && column.rows == 1) {
    return primitives::gather(column, std::vector<uint32_t>(static_cast<size_t>(heights.all), 0), context.pool);
  }
  const Column pieces[] = {column, primitives::nulls(column.type, heights.all - column.rows, context.pool)};
  return primitives::concatenate(pieces, context.pool);
}

columns::Batch joined(Context& context, const plan::Node& node, std::vector<std::shared_ptr<Side>> sides) {
  // A frame with neither columns nor rows has no height that others could differ from.
  std::erase_if(sides, [](const auto& side) { return side->schema().empty() && side->rows() == 0; });
  Heights heights{0, node.flag("repeat")};
  for (const auto& side : sides) heights.all = std::max(heights.all, side->rows());
  const bool one_row = std::any_of(sides.begin(), sides.end(), [](const auto& side) { return side->rows() == 1; });
  const bool none = std::any_of(sides.begin(), sides.end(), [](const auto& side) { return side->rows() == 0; });
  if (heights.repeats && one_row && none && heights.all == 1) heights.all = 0;
  for (const auto& side : sides) {
    const bool fits = side->rows() == heights.all || (heights.repeats && side->rows() == 1);
    if (node.flag("strict") && !fits)
      fail(ErrorKind::shape, "cannot concat dataframes with different heights in 'strict' mode");
  }
  columns::Batch batch{heights.all, {}};
  for (const auto& side : sides) {
    for (size_t c = 0; c < side->schema().size(); ++c) {
      batch.columns.push_back(stretched(context, side->column(context, c), heights));
    }
  }
  return batch;
}

void check(lower::Checker&, const plan::Node&) {}

lower::Open lower_hconcat(lower::Lowering& lowering, const plan::NodePtr& node) {
  std::vector<std::shared_ptr<Side>> sides;
  lower::Open result;
  for (const plan::NodePtr& input : node->inputs) {
    lower::Open open = lowering.lower(input);
    result.rows = std::max(result.rows, open.rows);
    sides.push_back(std::make_shared<Side>());
    lowering.close(std::move(open), sides.back(), node);
  }
  const auto number = static_cast<size_t>(lowering.number(node));
  auto made = std::make_shared<execute::SourcePtr>();  // once, whoever reads it
  result.source = [sides, node, number, made](Context& context) {
    if (*made) return *made;
    columns::Batch batch = joined(context, *node, sides);
    context.nodes[number].rows += batch.rows;
    std::vector<Parked> rows;
    if (batch.rows > 0) rows.emplace_back(context.parking, std::move(batch));
    return *made = execute::parked_source(context, node->schema, std::move(rows));
  };
  return result;
}

}  // namespace

extern const lower::Operator hconcat_operator;
const lower::Operator hconcat_operator{"hconcat", "The columns of several inputs beside each other.", check,
                                       lower_hconcat};

}  // namespace frazil::operators
