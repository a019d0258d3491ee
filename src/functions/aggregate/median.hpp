#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct median {
  static constexpr FunctionInfo info{
      .name = "median",
      .polars = {"agg.median"},
      .shape = Shape::segmented,
      .arguments = 1,
      .doc = "The middle of the values that are not null, or the mean of the two in the middle; null for none.",
      .example = "median([1, 2, 4]) = 2.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::has_moments(types); }
  static columns::Column segments(const SegmentedCall& call) { return lower::quantiles(call, 0.5, "linear"); }
#endif
};

}  // namespace frazil::functions
