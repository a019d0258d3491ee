#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct min {
  static constexpr FunctionInfo info{.name = "min",
                                     .polars = {"agg.min"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .doc = "Smallest value; NaN only if there is nothing else; null for none.",
                                     .example = "min([2, 1]) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::ordered(types.arguments[0]) && types.arguments[0] == types.result;
  }
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::min, CellKind::count}; }
  static Value finish(const Emit& emit) { return lower::finish_extreme(emit); }
#endif
};

}  // namespace frazil::functions
