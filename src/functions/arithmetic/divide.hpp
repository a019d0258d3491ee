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
  // By a literal Polars multiplies with its reciprocal, which may differ in the last bit.
  static Value emit(const Emit& emit) {
    const std::optional<double> divisor = emit.builder.real_of(emit.values[1]);
    if (!divisor || emit.values[0].is_literal()) return lower::wrapping_arithmetic(emit, std::nullopt);
    const Type type = lower::widest_type(emit.result);
    const double reciprocal = type == Type::f32 ? 1.0f / static_cast<float>(*divisor) : 1.0 / *divisor;
    const std::optional<uint16> multiply = emit.functions.find("multiply", {emit.types, emit.result, emit.payload});
    FZ_CHECK(multiply);
    return emit.builder.map(*multiply, type, type,
                            {emit.builder.convert(emit.values[0], type), emit.builder.real(reciprocal, type)},
                            std::nullopt);
  }
#endif
};

}  // namespace frazil::functions
