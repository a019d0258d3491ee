#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct all_true {
  static constexpr FunctionInfo info{
      .name = "all",
      .polars = {"boolean.All"},
      .shape = Shape::cells,
      .arguments = 1,
      .payload = 1,
      .doc = "Whether no value is false; where none is and nulls count, a null makes a null.",
      .example = "all([true, null], true) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::boolean && types.result.id == TypeId::boolean &&
           types.payload[0].as<bool>();
  }
  // True ones, those that are not null, all.
  static std::vector<CellKind> cells(const CallTypes&) { return {CellKind::add, CellKind::count, CellKind::count_all}; }
  static Value finish(const Emit& emit) {
    const DataType whole = columns::simple(TypeId::int64);
    const DataType wholes[] = {whole, whole};
    const Value truth = lower::apply(emit, "equal", wholes, emit.values.first(2), emit.result);
    if (*emit.payload[0].as<bool>()) return truth;
    const Value complete = lower::apply(emit, "equal", wholes, emit.values.subspan(1, 2), emit.result);
    return emit.builder.mask_value(truth.operand,
                                   emit.builder.mask_or(complete.operand, emit.builder.mask_not(truth.operand)));
  }
#endif
};

}  // namespace frazil::functions
