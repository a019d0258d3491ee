#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct min_truth {
  static constexpr FunctionInfo info{.name = "min",
                                     .polars = {"agg.min"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .doc = "Least truth: false if any is; null for none.",
                                     .example = "min([true, false]) = false"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::boolean && types.result.id == TypeId::boolean;
  }
  // True ones, and those that are not null.
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::add, CellKind::count}; }
  static Value finish(const Emit& emit) {
    const DataType whole = columns::simple(TypeId::int64);
    const DataType wholes[] = {whole, whole};
    Value truth = lower::apply(emit, "equal", wholes, emit.values, emit.result);
    truth.valid = emit.builder.range(emit.values[1], 1, INT64_MAX).operand;
    return truth;
  }
#endif
};

}  // namespace frazil::functions
