// The number of each row as its first column.
#include <numeric>

#include "base/error.hpp"
#include "execute/materialise.hpp"
#include "execute/resident.hpp"
#include "lower/lowering.hpp"
#include "lower/rules.hpp"

namespace frazil::operators {
namespace {

using execute::Parked;

class RowIndexSink : public execute::Collect {
 public:
  RowIndexSink(columns::Schema numbered, int64_t offset, int number)
      : numbered_(std::move(numbered)), next_(offset), number_(number) {}

  execute::SourcePtr finish(execute::Context& context) override {
    context.nodes[static_cast<size_t>(number_)].rows += rows();
    std::vector<Parked> made;
    for (Parked& batch : batches()) {
      columns::Batch rows = batch.is_on_device() ? context.resident->download(context, batch.load()) : batch.load();
      rows.columns.insert(rows.columns.begin(), numbers(context, rows.rows));
      batch = Parked(context.parking, {});
      made.emplace_back(context.parking, std::move(rows));
    }
    return execute::parked_source(context, numbered_, std::move(made));
  }

 private:
  columns::Column numbers(execute::Context& context, int64_t rows) {
    if (next_ + rows > int64_t{UINT32_MAX}) fail(ErrorKind::compute, "a row index has more than 2^32 rows");
    columns::Column column = lower::plain_column(numbered_[0].type, rows, context.pool);
    auto* at = column.values.mutable_as<uint32_t>();
    std::iota(at, at + rows, static_cast<uint32_t>(next_));
    next_ += rows;
    return column;
  }

  columns::Schema numbered_;
  int64_t next_;
  int number_;
};

void check(lower::Checker&, const plan::Node&) {}

lower::Open lower_row_index(lower::Lowering& lowering, const plan::NodePtr& node) {
  lower::Open open = lowering.lower(node->inputs[0]);
  const double rows = open.rows;
  auto sink = std::make_shared<RowIndexSink>(node->schema, node->number("offset", 0), lowering.number(node));
  return {lowering.close(std::move(open), sink, node), {}, rows};
}

}  // namespace

extern const lower::Operator row_index_operator;
const lower::Operator row_index_operator{"row_index", "Rows with their number as the first column.", check,
                                         lower_row_index};

}  // namespace frazil::operators
