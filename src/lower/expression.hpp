// Expressions of the plan become instructions of a tile program.
#pragma once

#include <string>
#include <vector>

#include "execute/assembly.hpp"
#include "lower/function.hpp"
#include "plan/expression.hpp"

namespace frazil::lower {

// Why something cannot run here: named before anything runs.
struct Refusal {
  std::string code;  // stable
  std::string node;
  std::string expression;
  std::string message;  // and what to change
};

class Expressions {
 public:
  explicit Expressions(const FunctionTable& functions) : functions_(functions) {}
  const FunctionTable& functions() const { return functions_; }

  // What of the expression cannot be computed. Aggregates are allowed where `aggregates` is set.
  void check(const plan::Expression& expression, bool aggregates, std::vector<Refusal>& refusals) const;

  Value compile(execute::Assembly& assembly, const plan::Expression& expression) const;
  // Keeps the rows for which the predicate is true. Conjuncts that may fail are computed for all rows first.
  void filter(execute::Assembly& assembly, const plan::Expression& predicate) const;

  // The function that a call means; the call was checked.
  uint16 resolve(const plan::Expression& call) const;

 private:
  Value compile_call(execute::Assembly& assembly, const plan::Expression& call) const;
  Value compile_literal(Builder& builder, const plan::Expression& literal) const;
  std::optional<Value> compile_on_dictionary(execute::Assembly& assembly, const plan::Expression& call) const;
  bool may_fail(const plan::Expression& expression) const;

  const FunctionTable& functions_;
};

// Conjuncts of nested ands.
void split_conjuncts(const plan::ExpressionPtr& predicate, std::vector<plan::ExpressionPtr>& conjuncts);

}  // namespace frazil::lower
