#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

// A step of casts; Polars has no name for it.
struct floor_quotient {
  static constexpr FunctionInfo info{.name = "floor_quotient",
                                     .polars = {},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = kSignedWholes,
                                     .doc = "A whole number divided by another that is not zero, rounded down.",
                                     .example = "floor_quotient(-7, 2) = -4"};
  template <class T>
  FZ_HD static T apply(T value, T unit) {
    return divide_down(value, unit);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
