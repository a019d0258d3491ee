// New columns from old ones, row by row. Columns that are only renamed are not touched.
#include <algorithm>

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

// Polars may move an expression to where its columns have other dtypes than its plan says.
bool dtypes_agree(const plan::Node& node, size_t column) {
  const plan::Named& made = node.group("columns")[column];
  if (column >= node.schema.size() || node.schema[column].type.id != made.expression->type.id) return false;
  if (made.expression->kind != plan::Expression::Kind::column) return true;
  const columns::Schema& given = node.inputs[0]->schema;
  const auto found =
      std::find_if(given.begin(), given.end(), [&](const auto& f) { return f.name == made.expression->name; });
  return found != given.end() && found->type.id == made.expression->type.id;
}

void check(lower::Checker& checker, const plan::Node& node) {
  for (size_t i = 0; i < node.group("columns").size(); ++i) {
    if (!dtypes_agree(node, i)) checker.refuse("schema", "the dtypes of its columns contradict each other");
  }
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
