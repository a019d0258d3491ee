#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "primitives/move.hpp"
#endif

namespace frazil::functions {

struct last {
  static constexpr FunctionInfo info{.name = "last",
                                     .polars = {"agg.last"},
                                     .shape = Shape::segmented,
                                     .arguments = 1,
                                     .doc = "The value of the last row; null where there is none.",
                                     .example = "last([2, 1]) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.arguments[0] == types.result; }
  static columns::Column segments(const SegmentedCall& call) {
    std::vector<uint32_t> rows;
    for (size_t s = 0; s + 1 < call.start.size(); ++s) {
      const bool any = call.start[s] < call.start[s + 1];
      rows.push_back(any ? call.rows[call.start[s + 1] - 1] : primitives::kNoRow);
    }
    return primitives::gather(call.arguments[0], rows, call.pool);
  }
#endif
};

}  // namespace frazil::functions
