#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// A step of decimal sums of different scales; Polars has no name for it. The product alone may need more digits than
// there are: what counts is the sum.
struct multiply_add {
  static constexpr FunctionInfo info{.name = "multiply_add",
                                     .polars = {},
                                     .arguments = 2,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i128),
                                     .may_fail = true,
                                     .doc = "A decimal at a larger scale plus another.",
                                     .example = "multiply_add(1.5, 0.25, 10) = 1.75"};
  // Sums that differ by 2^128 look the same, but not as floats.
  template <class T>
  FZ_HD static T apply(T a, T b, T factor, bool& bad) {
    using U = typename Unsigned<T>::U;
    const T sum = static_cast<T>(static_cast<U>(a) * static_cast<U>(factor) + static_cast<U>(b));
    const double about = static_cast<double>(a) * static_cast<double>(factor) + static_cast<double>(b);
    bad = exceeds_decimal(sum) || about > 2e38 || about < -2e38;
    return sum;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
