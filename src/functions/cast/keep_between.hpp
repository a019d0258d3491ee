#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// A step of casts that raise; Polars has no name for it.
struct keep_between {
  static constexpr FunctionInfo info{.name = "keep_between",
                                     .polars = {},
                                     .arguments = 1,
                                     .parameters = 2,
                                     .kernels = kWholes | kFloats,
                                     .may_fail = true,
                                     .doc = "A number that has to lie between two others.",
                                     .example = "keep_between(1, 0, 2) = 1"};
  template <class T>
  FZ_HD static T apply(T value, T low, T high, bool& bad) {
    bad = !(value >= low && value <= high);  // NaN is not
    return value;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
