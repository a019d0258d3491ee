#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// A step of clip and of the extremes of several columns; Polars has no name for it. NaN is neither above nor below.
struct clip_to {
  static constexpr FunctionInfo info{.name = "clip_to",
                                     .polars = {},
                                     .arguments = 2,
                                     .parameters = 1,
                                     .kernels = kWholes | kFloats,
                                     .doc = "A number, or the bound if that is above it; below it for a third of 0.",
                                     .example = "clip_to(1, 2, 1) = 2"};
  template <class T>
  FZ_HD static T apply(T value, T bound, T is_lowest) {
    return (is_lowest != 0 ? value < bound : value > bound) ? bound : value;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
