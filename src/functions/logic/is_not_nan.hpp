#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct is_not_nan {
  static constexpr FunctionInfo info{.name = "is_not_nan",
                                     .polars = {"boolean.IsNotNan"},
                                     .arguments = 1,
                                     .doc = "Whether a float is a number.",
                                     .example = "is_not_nan(1.0) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::float32 || types.arguments[0].id == TypeId::float64;
  }
  static Value emit(const Emit& emit) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Builder& builder = emit.builder;
    const Value& x = emit.values[0];
    return builder.mask_value(builder.range_real(x, -kInfinity, kInfinity).operand, x.valid);
  }
#endif
};

}  // namespace frazil::functions
