#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct n_unique {
  static constexpr FunctionInfo info{.name = "n_unique",
                                     .polars = {"agg.n_unique"},
                                     .shape = Shape::segmented,
                                     .arguments = 1,
                                     .portable = true,
                                     .doc = "Number of different values; null is one, and so is NaN.",
                                     .example = "n_unique([1, 1, null]) = 2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::widest_type(types.arguments[0]) != Type::none && types.result.id == TypeId::uint32;
  }
  static columns::Column segments(const SegmentedCall& call) {
    columns::Column counts{
        .type = call.result, .rows = call.segments, .physical = columns::plain_physical(call.result)};
    counts.values = call.primitives.count_distinct(call.arguments[0]);
    return counts;
  }
#endif
};

}  // namespace frazil::functions
