#include "lower/lowering.hpp"

#include <set>

#include "base/error.hpp"
#include "execute/cost.hpp"
#include "execute/materialise.hpp"
#include "lower/aggregate.hpp"

namespace frazil::lower {

using plan::Node;
using plan::NodePtr;

void Checker::refuse(std::string code, std::string message, std::string expression) {
  refusals_.push_back({std::move(code), node_.kind, std::move(expression), std::move(message)});
}

void Checker::expression(const plan::Expression& expression, bool aggregates) {
  std::vector<Refusal> found;
  expressions_.check(expression, aggregates, found);
  for (Refusal& refusal : found) {
    refusal.node = node_.kind;
    refusals_.push_back(std::move(refusal));
  }
}

void Checker::group(const std::string& name, bool aggregates) {
  for (const plan::Named& named : node_.group(name)) expression(*named.expression, aggregates);
}

void Checker::aggregated(const std::string& name) {
  if (!refusals_.empty()) return;  // what a call means is only known where it was accepted
  for (const plan::Named& named : node_.group(name)) {
    if (is_aggregated(expressions_, *named.expression)) continue;
    refuse("not_aggregated", "a column outside of aggregates gives a list a group, which is not supported yet",
           named.expression->text());
  }
}

const Operator* OperatorTable::find(const std::string& kind) const {
  for (const Operator* entry : operators_) {
    if (kind == entry->kind) return entry;
  }
  return nullptr;
}

namespace {

void check(const OperatorTable& operators, const Expressions& expressions, const NodePtr& node,
           std::set<const Node*>& seen, std::vector<Refusal>& refusals) {
  if (!seen.insert(node.get()).second) return;
  for (const NodePtr& input : node->inputs) check(operators, expressions, input, seen, refusals);
  Checker checker(expressions, *node, refusals);
  if (const Operator* found = operators.find(node->kind)) {
    found->check(checker, *node);
  } else {
    checker.refuse("node", "the operator \"" + node->kind + "\" is not supported yet");
  }
}

}  // namespace

std::vector<Refusal> check(const OperatorTable& operators, const Expressions& expressions, const NodePtr& root) {
  std::vector<Refusal> refusals;
  std::set<const Node*> seen;
  check(operators, expressions, root, seen, refusals);
  return refusals;
}

Lowering::Lowering(const OperatorTable& operators, const Expressions& expressions, execute::Context& context,
                   const NodePtr& root)
    : operators_(operators), expressions_(expressions), context_(context) {
  enumerate(root);
}

void Lowering::enumerate(const NodePtr& node) {
  if (++readers_[node.get()] > 1) return;
  for (const NodePtr& input : node->inputs) enumerate(input);
  numbers_[node.get()] = static_cast<int>(context_.nodes.size());
  context_.nodes.push_back({.node = node->kind});
}

Open Lowering::lower(const NodePtr& node) {
  const Operator* found = operators_.find(node->kind);
  FZ_CHECK(found != nullptr);
  if (readers_[node.get()] < 2 || node->inputs.empty()) return found->lower(*this, node);
  auto [place, is_new] = shared_.try_emplace(node.get());
  if (is_new) {
    Open open = found->lower(*this, node);
    const double rows = open.rows;
    place->second = {close(std::move(open), std::make_shared<execute::Collect>(), node), {}, rows};
  }
  return place->second;
}

SourceMaker Lowering::close(Open open, execute::SinkPtr sink, const NodePtr& node) {
  pipelines_.push_back({std::move(open.source), std::move(open.steps), sink, number(node)});
  // A source may have several readers; what a sink made is finished once.
  auto made = std::make_shared<execute::SourcePtr>();
  return [sink, made, number = number(node)](execute::Context& context) {
    if (*made) return *made;
    const execute::Cost cost(context, number);
    return *made = sink->finish(context);
  };
}

}  // namespace frazil::lower
