#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "primitives/move.hpp"
#endif

namespace frazil::functions {

struct first {
  static constexpr FunctionInfo info{.name = "first",
                                     .polars = {"agg.first"},
                                     .shape = Shape::segmented,
                                     .arguments = 1,
                                     .doc = "The value of the first row; null where there is none.",
                                     .example = "first([2, 1]) = 2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.arguments[0] == types.result; }
  static columns::Column segments(const SegmentedCall& call) {
    std::vector<uint32_t> rows;
    for (size_t s = 0; s + 1 < call.start.size(); ++s) {
      const bool any = call.start[s] < call.start[s + 1];
      rows.push_back(any ? call.rows[call.start[s]] : primitives::kNoRow);
    }
    return primitives::gather(call.arguments[0], rows, call.pool);
  }
#endif
};

}  // namespace frazil::functions
