// New columns from old ones, row by row. Columns that are only renamed are not touched.
#include "lower/lowering.hpp"

namespace frazil::operators {
namespace {

using execute::Binding;

class ProjectStep : public execute::Step {
 public:
  ProjectStep(const lower::Expressions& expressions, plan::NodePtr node, int number)
      : expressions_(expressions), node_(std::move(node)), number_(number) {}
  void emit(execute::Assembly& assembly) override {
    assembly.enter_node(number_);
    std::vector<Binding> made;
    for (const plan::Named& column : node_->group("columns")) {
      const plan::Expression& expression = *column.expression;
      Binding binding;
      if (expression.kind == plan::Expression::Kind::column) {
        binding = assembly.find(expression.name);
      } else {
        binding.origin = Binding::Origin::computed;
        binding.value = expressions_.compile(assembly, expression);
        binding.type = expression.type;
      }
      binding.name = column.name;
      made.push_back(std::move(binding));
    }
    assembly.scope() = std::move(made);
    assembly.count_rows();
  }

 private:
  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  int number_;
};

void check(lower::Checker& checker, const plan::Node& node) {
  for (const plan::Named& column : node.group("columns")) {
    // A column that is only passed on may have any dtype.
    if (column.expression->kind != plan::Expression::Kind::column) checker.expression(*column.expression);
  }
}

lower::Open lower_project(lower::Lowering& lowering, const plan::NodePtr& node) {
  lower::Open open = lowering.lower(node->inputs[0]);
  open.steps.push_back(std::make_shared<ProjectStep>(lowering.expressions(), node, lowering.number(node)));
  return open;
}

}  // namespace

extern const lower::Operator project_operator;
const lower::Operator project_operator{"project", "New columns from old ones, row by row.", check, lower_project};

}  // namespace frazil::operators
