#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct divide_duration {
  static constexpr FunctionInfo info{
      .name = "divide",
      .polars = {"operator.TrueDivide"},
      .arguments = 2,
      .doc = "A duration divided by a number, rounded down by whole ones; or by a duration, as a float.",
      .example = "divide(1d, 2) = 12h"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &a = types.arguments[0], &b = types.arguments[1];
    if (b.id == TypeId::duration) return a == b && types.result.id == TypeId::float64;
    return a.id == TypeId::duration && lower::scales(types);
  }
  static Value emit(const Emit& emit) {
    if (emit.types[1].id != TypeId::duration) return lower::scaled_duration(emit, "floor_divide", "divide");
    const DataType reals[] = {emit.result, emit.result};
    const Value values[] = {emit.builder.convert(emit.values[0], Type::f64),
                            emit.builder.convert(emit.values[1], Type::f64)};
    return lower::apply(emit, "divide", reals, values, emit.result);
  }
#endif
};

}  // namespace frazil::functions
