#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct is_nan {
  static constexpr FunctionInfo info{.name = "is_nan",
                                     .polars = {"boolean.IsNan"},
                                     .arguments = 1,
                                     .doc = "Whether a float is NaN.",
                                     .example = "is_nan(1.0) = false"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::float32 || types.arguments[0].id == TypeId::float64;
  }
  static Value emit(const Emit& emit) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Builder& builder = emit.builder;
    const Value& x = emit.values[0];
    return builder.mask_value(builder.mask_not(builder.range_real(x, -kInfinity, kInfinity).operand), x.valid);
  }
#endif
};

}  // namespace frazil::functions
