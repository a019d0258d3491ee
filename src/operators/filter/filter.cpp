// Keeps the rows for which a predicate is true. Rows are not moved: the tile's live mask narrows.
#include "lower/lowering.hpp"

namespace frazil::operators {
namespace {

class FilterStep : public execute::Step {
 public:
  FilterStep(const lower::Expressions& expressions, plan::NodePtr node, int number)
      : expressions_(expressions), node_(std::move(node)), number_(number) {}
  void emit(execute::Assembly& assembly) override {
    assembly.enter_node(number_);
    for (const plan::Named& predicate : node_->group("predicate")) expressions_.filter(assembly, *predicate.expression);
    assembly.count_rows();
    assembly.builder().compact_here();
  }

 private:
  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  int number_;
};

void check(lower::Checker& checker, const plan::Node&) { checker.group("predicate"); }

lower::Open lower_filter(lower::Lowering& lowering, const plan::NodePtr& node) {
  lower::Open open = lowering.lower(node->inputs[0]);
  open.steps.push_back(std::make_shared<FilterStep>(lowering.expressions(), node, lowering.number(node)));
  open.rows /= 4;  // nothing is known of the predicate; most keep less than half
  return open;
}

}  // namespace

extern const lower::Operator filter_operator;
const lower::Operator filter_operator{"filter", "Rows for which a predicate is true.", check, lower_filter};

}  // namespace frazil::operators
