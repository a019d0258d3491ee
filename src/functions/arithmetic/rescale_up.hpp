#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// A step of decimal functions; Polars has no name for it.
struct rescale_up {
  static constexpr FunctionInfo info{.name = "rescale_up",
                                     .polars = {},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = kSignedWholes,
                                     .may_fail = true,
                                     .doc = "A decimal at a larger scale.",
                                     .example = "rescale_up(1.5, 10) = 1.50"};
  template <class T>
  FZ_HD static T apply(T value, T factor, bool& bad) {
    T result;
    bad = multiply_overflows(value, factor, result) || exceeds_decimal(result);
    return result;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
