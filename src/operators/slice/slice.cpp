// Rows by their place: an offset (from the end where negative) and a length (-1: to the end).
#include <algorithm>

#include "execute/materialise.hpp"
#include "execute/resident.hpp"
#include "lower/lowering.hpp"

namespace frazil::operators {
namespace {

class SliceSink : public execute::Collect {
 public:
  SliceSink(int64_t offset, int64_t length, int number) : offset_(offset), length_(length), number_(number) {}
  execute::SourcePtr finish(execute::Context& context) override {
    const int64_t rows = this->rows();
    // A negative offset before the first row cuts the length, as in Polars.
    const int64_t begin = offset_ < 0 ? rows + offset_ : offset_;
    const int64_t end = length_ < 0 || length_ > rows - begin ? rows : begin + length_;
    const int64_t first = std::clamp<int64_t>(begin, 0, rows), last = std::clamp<int64_t>(end, first, rows);
    context.nodes[static_cast<size_t>(number_)].rows += last - first;
    if (batches().size() == 1 && batches()[0].is_on_device()) {
      return execute::table_source(context, schema(),
                                   {context.resident->slice(batches()[0].load(), first, last - first)});
    }
    std::vector<execute::Parked> kept;
    int64_t at = 0;
    for (execute::Parked& batch : batches()) {
      const int64_t from = std::max(first - at, int64_t{0}), to = std::min(last - at, batch.rows());
      at += batch.rows();
      if (from == 0 && to == batch.rows()) {
        kept.push_back(std::move(batch));
      } else if (from < to) {
        kept.emplace_back(context.parking, columns::slice(batch.load(), from, to - from));
      }
    }
    return execute::parked_source(context, schema(), std::move(kept));
  }

 private:
  int64_t offset_, length_;
  int number_;
};

void check(lower::Checker&, const plan::Node&) {}

lower::Open lower_slice(lower::Lowering& lowering, const plan::NodePtr& node) {
  const int64_t length = node->number("length", -1);
  lower::Open open = lowering.lower(node->inputs[0]);
  const double rows = length < 0 ? open.rows : std::min(open.rows, static_cast<double>(length));
  auto sink = std::make_shared<SliceSink>(node->number("offset", 0), length, lowering.number(node));
  return {lowering.close(std::move(open), sink, node), {}, rows};
}

}  // namespace

extern const lower::Operator slice_operator;
const lower::Operator slice_operator{"slice", "Rows by their place.", check, lower_slice};

}  // namespace frazil::operators
