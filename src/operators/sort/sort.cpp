// Sorts by several keys, stable. With a slice, lanes keep no more rows than may be wanted.
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
using execute::Parallel;
using execute::Parked;

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
  std::unique_ptr<execute::LaneEnd> start(Context& context, const std::vector<execute::SlotState*>& slots) override;
  execute::SourcePtr finish(Context& context) override;
  // Only the first `limit_` rows of the batches stay.
  void keep_first(Context& context, std::vector<Parked>& batches) const;

 private:
  std::vector<Parked> arrange(Context& context, std::vector<Parked>& batches, size_t columns, int64_t begin,
                              int64_t end, const Parallel& parallel, size_t at_once) const;
  bool is_key(size_t column) const {
    return std::find(key_columns_.begin(), key_columns_.end(), column) != key_columns_.end();
  }
  execute::SourcePtr finish_on_device(Context& context, const Batch& table) const;
  std::vector<execute::SortKey> keys(const std::vector<Column>& columns) const;

  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  int number_;
  int64_t offset_ = 0, length_ = -1;
  int64_t limit_ = -1;  // rows that may be wanted; below 0: all
  std::vector<size_t> key_columns_;
  size_t columns_ = 0;  // of the result; key columns may follow
};

void SortSink::prepare(Assembly& assembly) {
  assembly.enter_node(number_);
  std::vector<Binding> bindings = assembly.scope();
  columns_ = bindings.size();
  key_columns_.clear();
  auto add_key = [&](const columns::DataType& type, const program::Value& value) {
    key_columns_.push_back(bindings.size());
    bindings.push_back({.name = "\1key", .type = type, .origin = Binding::Origin::computed, .value = value});
  };
  for (const plan::Named& key : node_->group("keys")) {
    const plan::Expression& expression = *key.expression;
    if (expression.kind == plan::Expression::Kind::column) {
      const auto found =
          std::find_if(bindings.begin(), bindings.end(), [&](const Binding& b) { return b.name == expression.name; });
      key_columns_.push_back(static_cast<size_t>(found - bindings.begin()));
    } else {
      add_key(expression.type, expressions_.compile(assembly, expression));
    }
  }
  limit_ = length_ < 0 || length_ > INT64_MAX - offset_ ? -1 : offset_ + length_;
  if (limit_ >= 0) {  // lanes throw rows away, so that batches no longer tell the order of equal rows
    const program::Operand position =
        assembly.builder().append({.op = program::Op::position, .type = program::Type::i64}, program::Type::i64);
    add_key(columns::simple(columns::TypeId::int64), {position, program::Type::i64, program::kAll, {}});
  }
  Collect::prepare(assembly, std::move(bindings));
}

// Throws away what cannot be among the first rows, whenever there are many more than wanted.
class FirstLane : public execute::CollectLane {
 public:
  FirstLane(const SortSink& sink, int64_t most, std::unique_ptr<execute::MaterialiseLane> lane)
      : CollectLane(std::move(lane)), sink_(sink), most_(most) {}
  void end(Context& context, const Batch& batch) override {
    CollectLane::end(context, batch);
    if (execute::rows_of(batches()) > most_) sink_.keep_first(context, batches());
  }

 private:
  const SortSink& sink_;
  int64_t most_;
};

std::unique_ptr<execute::LaneEnd> SortSink::start(Context& context, const std::vector<execute::SlotState*>& slots) {
  constexpr int64_t kLarge = int64_t{1} << 31;  // such a limit saves nothing
  if (limit_ < 0 || limit_ > kLarge) return Collect::start(context, slots);
  return std::make_unique<FirstLane>(*this, 2 * limit_ + execute::kMorselRows / 2, materialise().start(context, slots));
}

// `columns`: at least the keys.
std::vector<execute::SortKey> SortSink::keys(const std::vector<Column>& columns) const {
  const plan::Options &descending = *node_->list("descending"), &nulls_last = *node_->list("nulls_last");
  std::vector<execute::SortKey> keys;
  for (size_t k = 0; k < key_columns_.size(); ++k) {
    keys.push_back({columns[key_columns_[k]]});
    if (k >= descending.size()) continue;  // the rows' positions
    keys.back().descending = *descending[k].as<bool>();
    keys.back().nulls_last = *nulls_last[k].as<bool>();
  }
  return keys;
}

// Rows `begin` to `end` of the sorted batches, with their first `columns` columns. A few columns at a time, so that
// little more than keys and these have to be in memory. `at_once`: how many threads `parallel` has.
std::vector<Parked> SortSink::arrange(Context& context, std::vector<Parked>& batches, size_t columns, int64_t begin,
                                      int64_t end, const Parallel& parallel, size_t at_once) const {
  const int64_t rows = execute::rows_of(batches), most = execute::morsel_rows(schema());
  std::vector<Parked> pieces;
  for (int64_t row = begin; row < end; row += most) {
    pieces.emplace_back(context.parking, Batch{std::min(most, end - row), std::vector<Column>(columns), row - begin});
  }
  if (pieces.empty()) return pieces;
  std::vector<Column> taken(schema().size());
  auto take = [&](size_t c) { taken[c] = execute::take_column(batches, c, schema()[c].type, context.pool); };
  parallel(static_cast<int64_t>(taken.size()), [&](int64_t c) {
    if (is_key(static_cast<size_t>(c))) take(static_cast<size_t>(c));
  });
  const memory::Buffer order = execute::sorted_rows(context, keys(taken), rows, end, parallel);
  taken.resize(columns);  // keys that are no columns of the result have done their work
  for (size_t first = 0; first < columns; first += at_once) {
    const auto some = static_cast<int64_t>(std::min(at_once, columns - first));
    parallel(some, [&](int64_t c) {
      if (!is_key(first + static_cast<size_t>(c))) take(first + static_cast<size_t>(c));
    });
    parallel(some * static_cast<int64_t>(pieces.size()), [&](int64_t task) {
      const size_t c = first + static_cast<size_t>(task % some);
      Parked& piece = pieces[static_cast<size_t>(task / some)];
      const auto numbers = order.span<uint32_t>().subspan(static_cast<size_t>(begin + piece.ordinal()),
                                                          static_cast<size_t>(piece.rows()));
      piece.put(c, primitives::gather(taken[c], numbers, context.pool));
    });
    for (int64_t c = 0; c < some; ++c) taken[first + static_cast<size_t>(c)] = {};
  }
  batches.clear();
  return pieces;
}

void SortSink::keep_first(Context& context, std::vector<Parked>& batches) const {
  batches = arrange(context, batches, schema().size(), 0, limit_, execute::in_turn, 1);
}

// Null: the keys hold what the device does not order.
execute::SourcePtr SortSink::finish_on_device(Context& context, const Batch& table) const {
  const std::optional<memory::Buffer> order = execute::sorted_rows_on_device(context, keys(table.columns), table.rows);
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
  if (batches().size() == 1 && batches()[0].is_on_device()) {
    const Batch table = batches()[0].load();
    if (execute::SourcePtr sorted = finish_on_device(context, table)) return sorted;
    batches().clear();
    batches().emplace_back(context.parking, context.resident->download(context, table));
  }
  const int64_t begin = std::min(offset_, rows());
  const int64_t end = limit_ < 0 ? rows() : std::clamp(limit_, begin, rows());
  std::vector<Parked> sorted = arrange(context, batches(), columns_, begin, end, execute::on_all_threads(context),
                                       static_cast<size_t>(context.scheduler->threads()));
  batches().clear();
  context.nodes[static_cast<size_t>(number_)].rows += end - begin;
  const columns::Schema schema(this->schema().begin(), this->schema().begin() + static_cast<ptrdiff_t>(columns_));
  return execute::parked_source(context, schema, std::move(sorted));
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
