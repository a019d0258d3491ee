#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct subtract {
  static constexpr FunctionInfo info{.name = "subtract",
                                     .polars = {"operator.Minus"},
                                     .arguments = 2,
                                     .kernels = kWholes | kFloats,
                                     .doc = "Difference of two numbers. Whole numbers wrap as their dtype does.",
                                     .example = "subtract(5, 3) = 2"};
  template <class T>
  FZ_HD static T apply(T a, T b) {
    using U = typename Unsigned<T>::U;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::is_number(types.result) && types.arguments[0] == types.result && types.arguments[1] == types.result;
  }
  // A literal zero takes nothing away, and what is taken from it changes its sign, that of zeros as well.
  static Value emit(const Emit& emit) {
    const Type type = lower::widest_type(emit.result);
    if (emit.builder.real_of(emit.values[1]) == 0.0) return emit.builder.convert(emit.values[0], type);
    if (emit.builder.real_of(emit.values[0]) == 0.0)
      return emit.builder.map(emit.id, type, type,
                              {emit.builder.real(-0.0, type), emit.builder.convert(emit.values[1], type)},
                              std::nullopt);
    return lower::wrapping_arithmetic(emit, lower::subtract_intervals(emit.values[0], emit.values[1]));
  }
#endif
};

}  // namespace frazil::functions
