#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct count_all {
  static constexpr FunctionInfo info{.name = "count_all",
                                     .polars = {"agg.count_all"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .doc = "Number of values, nulls among them.",
                                     .example = "count_all([1, null]) = 2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.result.id == TypeId::uint32; }
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::count_all}; }
  static Value finish(const Emit& emit) { return emit.values[0]; }
#endif
};

}  // namespace frazil::functions
