#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct is_finite {
  static constexpr FunctionInfo info{.name = "is_finite",
                                     .polars = {"boolean.IsFinite"},
                                     .arguments = 1,
                                     .doc = "Whether a float is a number and not infinite.",
                                     .example = "is_finite(1.0) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::float32 || types.arguments[0].id == TypeId::float64;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const Value& x = emit.values[0];
    const double most = x.type == Type::f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    return builder.mask_value(builder.range_real(x, -most, most).operand, x.valid);
  }
#endif
};

}  // namespace frazil::functions
