#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct count {
  static constexpr FunctionInfo info{.name = "count",
                                     .polars = {"agg.count"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .doc = "Number of values that are not null.",
                                     .example = "count([1, null]) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.result.id == TypeId::uint32; }
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::count}; }
  static Value finish(const Emit& emit) { return emit.values[0]; }
#endif
};

}  // namespace frazil::functions
