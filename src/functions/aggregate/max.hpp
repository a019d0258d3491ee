#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct max {
  static constexpr FunctionInfo info{.name = "max",
                                     .polars = {"agg.max"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .doc = "Largest value; NaN only if there is nothing else; null for none.",
                                     .example = "max([2, 1]) = 2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::ordered(types.arguments[0]) && types.arguments[0] == types.result;
  }
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::max, CellKind::count}; }
  static Value finish(const Emit& emit) { return lower::finish_extreme(emit); }
#endif
};

}  // namespace frazil::functions
