#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct equal {
  static constexpr FunctionInfo info{
      .name = "equal",
      .polars = {"operator.Eq"},
      .arguments = 2,
      .kernels = kWholes | kFloats | kViews,
      .to_mask = true,
      .by_value = true,
      .doc = "Whether both sides are equal. NaN equals NaN and is above all numbers; text compares by bytes.",
      .example = "equal(2, 2) = true"};
  template <class T>
  FZ_HD static bool apply(const T& a, const T& b) {
    if constexpr (kSame<T, RegisterView>) {
      return equal_views(a, b);
    } else if constexpr (kSame<T, float> || kSame<T, double>) {
      return (a == b) | ((a != a) & (b != b));
    } else {
      return a == b;
    }
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::comparable(types); }
  static Value emit(const Emit& emit) { return lower::compare(emit, lower::Comparison::equal); }
#endif
};

}  // namespace frazil::functions
