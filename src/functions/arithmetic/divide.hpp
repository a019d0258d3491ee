#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct divide {
  static constexpr FunctionInfo info{.name = "divide",
                                     .polars = {"operator.TrueDivide"},
                                     .arguments = 2,
                                     .kernels = kFloats,
                                     .doc = "Quotient of two floats; division by zero gives inf or NaN.",
                                     .example = "divide(3.0, 2.0) = 1.5"};
  template <class T>
  FZ_HD static T apply(T a, T b) {
    return a / b;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return (types.result.id == TypeId::float32 || types.result.id == TypeId::float64) &&
           types.arguments[0] == types.result && types.arguments[1] == types.result;
  }
  static Value emit(const Emit& emit) { return lower::wrapping_arithmetic(emit, std::nullopt); }
#endif
};

}  // namespace frazil::functions
