#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct mean {
  static constexpr FunctionInfo info{.name = "mean",
                                     .polars = {"agg.mean"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .doc = "Mean of the values that are not null as a float; null for none.",
                                     .example = "mean([1, 2]) = 1.5"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::summable(types.arguments[0]) && types.result.id == TypeId::float64;
  }
  static std::vector<CellKind> cells(const CallTypes& types) {
    const bool decimal = types.arguments[0].id == TypeId::decimal;
    return {decimal ? CellKind::rounded : CellKind::add, CellKind::count};
  }
  static Value finish(const Emit& emit) { return lower::finish_mean(emit); }
#endif
};

}  // namespace frazil::functions
