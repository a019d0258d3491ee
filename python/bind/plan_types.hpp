// Plans in Python's hands.
#pragma once

#include "plan/node.hpp"

namespace frazil::bind {

struct PythonExpression {
  plan::ExpressionPtr expression;
};
struct PythonNode {
  plan::NodePtr node;
};

}  // namespace frazil::bind
