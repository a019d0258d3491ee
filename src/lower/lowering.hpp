// A plan becomes pipelines. Operators are known by a table that the build generates from src/operators.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "execute/pipeline.hpp"
#include "lower/expression.hpp"
#include "plan/node.hpp"

namespace frazil::lower {

using SourceMaker = std::function<execute::SourcePtr(execute::Context&)>;

// A pipeline whose sink is not known yet.
struct Open {
  SourceMaker source;
  std::vector<execute::StepPtr> steps;
  double rows = 0;  // a guess, for choosing build sides
};

class Lowering;

// Collects what an operator cannot do with a node.
class Checker {
 public:
  Checker(const Expressions& expressions, const plan::Node& node, std::vector<Refusal>& refusals)
      : expressions_(expressions), node_(node), refusals_(refusals) {}
  void refuse(std::string code, std::string message, std::string expression = "");
  void expression(const plan::Expression& expression, bool aggregates = false);
  // All of a group of the node's expressions.
  void group(const std::string& name, bool aggregates = false);
  // All of a group are made of aggregates and literals.
  void aggregated(const std::string& name);

 private:
  const Expressions& expressions_;
  const plan::Node& node_;
  std::vector<Refusal>& refusals_;
};

struct Operator {
  const char* kind;
  const char* doc;
  void (*check)(Checker&, const plan::Node&);
  Open (*lower)(Lowering&, const plan::NodePtr&);
};

class OperatorTable {
 public:
  explicit OperatorTable(std::vector<const Operator*> operators) : operators_(std::move(operators)) {}
  const Operator* find(const std::string& kind) const;
  const std::vector<const Operator*>& all() const { return operators_; }

 private:
  std::vector<const Operator*> operators_;
};

// What of a plan cannot run; empty: it runs.
std::vector<Refusal> check(const OperatorTable& operators, const Expressions& expressions, const plan::NodePtr& root);

class Lowering {
 public:
  Lowering(const OperatorTable& operators, const Expressions& expressions, execute::Context& context,
           const plan::NodePtr& root);

  // The rows of a node. A node that several others read is run once.
  Open lower(const plan::NodePtr& node);
  // Ends a pipeline with a sink that belongs to `node`; what it makes is a source, run when it is first asked for.
  SourceMaker close(Open open, execute::SinkPtr sink, const plan::NodePtr& node);

  // The number under which a node's rows, errors and time are reported.
  int number(const plan::NodePtr& node) const { return numbers_.at(node.get()); }
  const Expressions& expressions() const { return expressions_; }
  std::vector<execute::Pipeline>& pipelines() { return pipelines_; }

 private:
  void enumerate(const plan::NodePtr& node);

  const OperatorTable& operators_;
  const Expressions& expressions_;
  execute::Context& context_;
  std::map<const plan::Node*, int> numbers_;
  std::map<const plan::Node*, int> readers_;
  std::map<const plan::Node*, Open> shared_;
  std::vector<execute::Pipeline> pipelines_;
};

}  // namespace frazil::lower
