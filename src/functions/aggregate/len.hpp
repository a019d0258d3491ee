#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct len {
  static constexpr FunctionInfo info{.name = "len",
                                     .polars = {"agg.len"},
                                     .shape = Shape::cells,
                                     .arguments = 0,
                                     .doc = "Number of rows.",
                                     .example = "len() = 2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.result.id == TypeId::uint32; }
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::count_all}; }
  static Value finish(const Emit& emit) { return emit.values[0]; }
#endif
};

}  // namespace frazil::functions
