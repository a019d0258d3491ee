#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct null_count {
  static constexpr FunctionInfo info{.name = "null_count",
                                     .polars = {"function.null_count"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .doc = "Number of nulls.",
                                     .example = "null_count([1, null]) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.result.id == TypeId::uint32; }
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::count_all, CellKind::count}; }
  static Value finish(const Emit& emit) {
    const DataType whole = columns::simple(TypeId::int64);
    const DataType types[] = {whole, whole};
    const plan::Options none;
    const std::optional<uint16> subtract = emit.functions.find("subtract", {types, whole, none});
    FZ_CHECK(subtract);
    return lower::wrapping_arithmetic({emit.builder, emit.functions, *subtract, types, whole, none, emit.values},
                                      std::nullopt);
  }
#endif
};

}  // namespace frazil::functions
