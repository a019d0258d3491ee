#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct variance {
  static constexpr FunctionInfo info{
      .name = "var",
      .polars = {"agg.var"},
      .shape = Shape::segmented,
      .arguments = 1,
      .payload = 1,
      .doc = "Variance of the values that are not null, of which so many are no degrees of freedom; null for too few.",
      .example = "var([1, 3], 1) = 2.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.payload[0].as<int64_t>() && lower::has_moments(types); }
  static columns::Column segments(const SegmentedCall& call) {
    return lower::variances(call, *call.payload[0].as<int64_t>(), false);
  }
#endif
};

}  // namespace frazil::functions
