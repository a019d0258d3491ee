#pragma once

#include "base/rounding.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct sqrt {
  static constexpr FunctionInfo info{.name = "sqrt",
                                     .polars = {"function.sqrt"},
                                     .arguments = 1,
                                     .kernels = kFloats,
                                     .doc = "Square root; NaN of what is below zero.",
                                     .example = "sqrt(2.25) = 1.5"};
  template <class T>
  FZ_HD static T apply(T value) {
    return square_root(value);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& type = types.arguments[0];
    return type.id == TypeId::float32
               ? types.result == type
               : types.result.id == TypeId::float64 && (lower::is_number(type) || type.id == TypeId::decimal);
  }
  static Value emit(const Emit& emit) {
    const Value value = lower::as_real(emit, 0);
    return emit.builder.map(emit.id, value.type, value.type, {value}, std::nullopt);
  }
#endif
};

}  // namespace frazil::functions
