#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// A step of casts; Polars has no name for it.
struct quotient {
  static constexpr FunctionInfo info{.name = "quotient",
                                     .polars = {},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = kSignedWholes,
                                     .doc = "A whole number divided by another that is not zero, towards zero.",
                                     .example = "quotient(-7, 2) = -3"};
  template <class T>
  FZ_HD static T apply(T value, T unit) {
    return value / unit;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
