#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct add {
  static constexpr FunctionInfo info{.name = "add",
                                     .polars = {"operator.Plus"},
                                     .arguments = 2,
                                     .kernels = kWholes | kFloats,
                                     .doc = "Sum of two numbers. Whole numbers wrap as their dtype does.",
                                     .example = "add(2, 3) = 5"};
  template <class T>
  FZ_HD static T apply(T a, T b) {
    using U = typename Unsigned<T>::U;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::is_number(types.result) && types.arguments[0] == types.result && types.arguments[1] == types.result;
  }
  // A literal zero adds nothing, not even the sign that -0.0 would lose.
  static Value emit(const Emit& emit) {
    for (const int zero : {0, 1}) {
      if (emit.builder.real_of(emit.values[zero]) == 0.0)
        return emit.builder.convert(emit.values[1 - zero], lower::widest_type(emit.result));
    }
    return lower::wrapping_arithmetic(emit, lower::add_intervals(emit.values[0], emit.values[1]));
  }
#endif
};

}  // namespace frazil::functions
