#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "primitives/move.hpp"
#endif

namespace frazil::functions {

struct first_non_null {
  static constexpr FunctionInfo info{.name = "first_non_null",
                                     .polars = {"agg.first_non_null"},
                                     .shape = Shape::segmented,
                                     .arguments = 1,
                                     .doc = "The first value that is not null; null where there is none.",
                                     .example = "first_non_null([null, 1]) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return types.arguments[0] == types.result; }
  static columns::Column segments(const SegmentedCall& call) {
    std::vector<uint32_t> rows(static_cast<size_t>(call.segments), primitives::kNoRow);
    for (size_t s = 0; s < rows.size(); ++s) {
      for (uint32_t at = call.start[s]; at < call.start[s + 1]; ++at) {
        rows[s] = call.rows[at];
        if (call.arguments[0].is_valid(rows[s])) break;
      }
    }
    return primitives::gather(call.arguments[0], rows, call.pool);
  }
#endif
};

}  // namespace frazil::functions
