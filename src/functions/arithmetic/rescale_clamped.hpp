#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// A step of comparisons; Polars has no name for it. What does not fit stays beyond all decimals, which compares right.
struct rescale_clamped {
  static constexpr FunctionInfo info{.name = "rescale_clamped",
                                     .polars = {},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = kSignedWholes,
                                     .doc = "A decimal at a larger scale, or the number furthest from zero.",
                                     .example = "rescale_clamped(1.5, 10) = 1.50"};
  template <class T>
  FZ_HD static T apply(T value, T factor) {
    T result;
    if (!multiply_overflows(value, factor, result)) return result;
    const T most = static_cast<T>(~(typename Unsigned<T>::U{1} << (sizeof(T) * 8 - 1)));
    return value < 0 ? -most : most;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
