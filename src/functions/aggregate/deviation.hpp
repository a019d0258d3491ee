#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct deviation {
  static constexpr FunctionInfo info{
      .name = "std",
      .polars = {"agg.std"},
      .shape = Shape::segmented,
      .arguments = 1,
      .payload = 1,
      .doc = "Standard deviation of the values that are not null, of which so many are no degrees of freedom.",
      .example = "std([1, 3], 1) = 1.414"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.payload[0].as<int64_t>() && lower::has_moments(types); }
  static columns::Column segments(const SegmentedCall& call) {
    return lower::variances(call, *call.payload[0].as<int64_t>(), true);
  }
#endif
};

}  // namespace frazil::functions
