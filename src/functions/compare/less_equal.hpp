#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct less_equal {
  static constexpr FunctionInfo info{.name = "less_equal",
                                     .polars = {"operator.LtEq"},
                                     .arguments = 2,
                                     .kernels = kWholes | kFloats | kViews,
                                     .to_mask = true,
                                     .by_value = true,
                                     .doc =
                                         "Whether the left side is not above the right. NaN equals NaN and is above "
                                         "all numbers; text compares by bytes.",
                                     .example = "less_equal(2, 2) = true"};
  template <class T>
  FZ_HD static bool apply(const T& a, const T& b) {
    if constexpr (kSame<T, RegisterView>) {
      return compare_views(a, b) <= 0;
    } else if constexpr (kSame<T, float> || kSame<T, double>) {
      return (a <= b) | (b != b);
    } else {
      return a <= b;
    }
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::comparable(types); }
  static Value emit(const Emit& emit) { return lower::compare(emit, lower::Comparison::less_equal); }
#endif
};

}  // namespace frazil::functions
