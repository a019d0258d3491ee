// Sorts by several keys, stable. With a slice only the rows up to its end are ordered.
#include <algorithm>

#include "execute/materialise.hpp"
#include "execute/order.hpp"
#include "execute/resident.hpp"
#include "execute/scheduler.hpp"
#include "lower/lowering.hpp"
#include "lower/rules.hpp"
#include "primitives/move.hpp"

namespace frazil::operators {
namespace {

using columns::Batch;
using columns::Column;
using execute::Assembly;
using execute::Binding;
using execute::Context;

class SortSink : public execute::Collect {
 public:
  SortSink(const lower::Expressions& expressions, plan::NodePtr node, int number)
      : expressions_(expressions), node_(std::move(node)), number_(number) {
    if (const plan::Options* slice = node_->list("slice")) {
      offset_ = *(*slice)[0].as<int64_t>();
      length_ = *(*slice)[1].as<int64_t>();
    }
  }
  void prepare(Assembly& assembly) override;
  execute::SourcePtr finish(Context& context) override;

 private:
  execute::SourcePtr finish_on_device(Context& context, const Batch& table);
  std::vector<execute::SortKey> keys(const Batch& table) const;

  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  int number_;
  int64_t offset_ = 0, length_ = -1;
  std::vector<size_t> key_columns_;
  size_t columns_ = 0;  // of the result; key columns may follow
};

void SortSink::prepare(Assembly& assembly) {
  assembly.enter_node(number_);
  std::vector<Binding> bindings = assembly.scope();
  columns_ = bindings.size();
  key_columns_.clear();
  for (const plan::Named& key : node_->group("keys")) {
    const plan::Expression& expression = *key.expression;
    if (expression.kind == plan::Expression::Kind::column) {
      const auto found =
          std::find_if(bindings.begin(), bindings.end(), [&](const Binding& b) { return b.name == expression.name; });
      key_columns_.push_back(static_cast<size_t>(found - bindings.begin()));
      continue;
    }
    key_columns_.push_back(bindings.size());
    bindings.push_back({.name = "\1key",
                        .type = expression.type,
                        .origin = Binding::Origin::computed,
                        .value = expressions_.compile(assembly, expression)});
  }
  Collect::prepare(assembly, std::move(bindings));
}

std::vector<execute::SortKey> SortSink::keys(const Batch& table) const {
  const plan::Options &descending = *node_->list("descending"), &nulls_last = *node_->list("nulls_last");
  std::vector<execute::SortKey> keys;
  for (size_t k = 0; k < key_columns_.size(); ++k) {
    keys.push_back({table.columns[key_columns_[k]], *descending[k].as<bool>(), *nulls_last[k].as<bool>()});
  }
  return keys;
}

// Null: the keys hold what the device does not order.
execute::SourcePtr SortSink::finish_on_device(Context& context, const Batch& table) {
  const std::optional<memory::Buffer> order = execute::sorted_rows_on_device(context, keys(table), table.rows);
  if (!order) return nullptr;
  const int64_t begin = std::min(offset_, table.rows);
  const int64_t end = length_ < 0 ? table.rows : std::min(begin + length_, table.rows);
  Batch result{table.rows, {table.columns.begin(), table.columns.begin() + static_cast<ptrdiff_t>(columns_)}};
  result = context.resident->gather(result, order->slice(begin * 4, (end - begin) * 4), end - begin);
  context.nodes[static_cast<size_t>(number_)].rows += result.rows;
  const columns::Schema schema(this->schema().begin(), this->schema().begin() + static_cast<ptrdiff_t>(columns_));
  return execute::table_source(context, schema, {std::move(result)});
}

execute::SourcePtr SortSink::finish(Context& context) {
  if (batches().size() == 1 && execute::is_on_device(batches()[0])) {
    if (execute::SourcePtr sorted = finish_on_device(context, batches()[0])) return sorted;
    batches()[0] = context.resident->download(context, batches()[0]);
  }
  Batch table;
  for (const Batch& batch : batches()) table.rows += batch.rows;
  for (size_t c = 0; c < schema().size() && !batches().empty(); ++c) {
    std::vector<Column> pieces;
    for (const Batch& batch : batches()) pieces.push_back(batch.columns[c]);
    table.columns.push_back(primitives::concatenate(pieces, context.pool));
  }
  batches().clear();
  columns::Schema schema(this->schema().begin(), this->schema().begin() + static_cast<ptrdiff_t>(columns_));
  if (table.rows == 0) return execute::table_source(context, schema, {});
  const int64_t begin = std::min(offset_, table.rows);
  const int64_t end = length_ < 0 ? table.rows : std::min(begin + length_, table.rows);
  std::vector<uint32_t> order;
  context.scheduler->run(context, 1, [&](int, int64_t) {  // this thread waits for the user's Ctrl-C
    order = execute::sorted_rows(context, keys(table), table.rows, end);
  });
  Batch sorted{end - begin, {}};
  for (size_t c = 0; c < columns_; ++c) {
    const std::span<const uint32_t> rows(order.data() + begin, static_cast<size_t>(end - begin));
    sorted.columns.push_back(primitives::gather(table.columns[c], rows, context.pool));
  }
  context.nodes[static_cast<size_t>(number_)].rows += sorted.rows;
  return execute::table_source(context, schema, {sorted});
}

void check(lower::Checker& checker, const plan::Node& node) {
  checker.group("keys");
  for (const plan::Named& key : node.group("keys")) {
    const columns::DataType& type = key.expression->type;
    if (lower::widest_type(type) == program::Type::none) {
      checker.refuse("key_dtype", "sort keys of " + type.name() + " are not supported yet", key.expression->text());
    }
  }
  if (const plan::Options* slice = node.list("slice")) {
    const int64_t* offset = slice->size() == 2 ? (*slice)[0].as<int64_t>() : nullptr;
    if (!offset || *offset < 0) checker.refuse("sort_slice", "a negative slice of a sort is not supported yet");
  }
}

lower::Open lower_sort(lower::Lowering& lowering, const plan::NodePtr& node) {
  lower::Open open = lowering.lower(node->inputs[0]);
  const double rows = open.rows;
  auto sink = std::make_shared<SortSink>(lowering.expressions(), node, lowering.number(node));
  return {lowering.close(std::move(open), sink, node), {}, rows};
}

}  // namespace

extern const lower::Operator sort_operator;
const lower::Operator sort_operator{"sort", "Rows in the order of several keys; with a slice the first of them.", check,
                                    lower_sort};

}  // namespace frazil::operators
