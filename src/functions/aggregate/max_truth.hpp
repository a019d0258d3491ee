#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct max_truth {
  static constexpr FunctionInfo info{.name = "max",
                                     .polars = {"agg.max"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .doc = "Largest truth: true if any is; null for none.",
                                     .example = "max([true, false]) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::boolean && types.result.id == TypeId::boolean;
  }
  // True ones, and those that are not null.
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::add, CellKind::count}; }
  static Value finish(const Emit& emit) {
    Value truth = emit.builder.range(emit.values[0], 1, INT64_MAX);
    truth.valid = emit.builder.range(emit.values[1], 1, INT64_MAX).operand;
    return truth;
  }
#endif
};

}  // namespace frazil::functions
