#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct sum {
  static constexpr FunctionInfo info{.name = "sum",
                                     .polars = {"agg.sum"},
                                     .shape = Shape::cells,
                                     .arguments = 1,
                                     .failure = "overflow in decimal addition in sum: it needs more than 38 digits",
                                     .doc = "Sum of the values that are not null; 0 for none.",
                                     .example = "sum([1, 2]) = 3"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& type = types.arguments[0];
    return (lower::summable(type) && lower::summable(types.result)) ||
           (type.id == TypeId::duration && type == types.result);
  }
  static std::vector<CellKind> cells(const CallTypes& types) {
    if (types.arguments[0].id == TypeId::decimal) return {CellKind::add, CellKind::magnitude};
    return {CellKind::add};
  }
  static Value finish(const Emit& emit) { return lower::finish_sum(emit); }
#endif
};

}  // namespace frazil::functions
