#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "primitives/move.hpp"
#endif

namespace frazil::functions {

struct min_text {
  static constexpr FunctionInfo info{.name = "min",
                                     .polars = {"agg.min"},
                                     .shape = Shape::segmented,
                                     .arguments = 1,
                                     .doc = "The first of the texts by their bytes; null for none.",
                                     .example = "min([\"b\", \"a\"]) = \"a\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::string && types.result.id == TypeId::string;
  }
  static columns::Column segments(const SegmentedCall& call) {
    const columns::Column& texts = call.arguments[0];
    std::vector<uint32_t> chosen;
    for (size_t s = 0; s + 1 < call.start.size(); ++s) {
      uint32_t best = primitives::kNoRow;
      for (uint32_t at = call.start[s]; at < call.start[s + 1]; ++at) {
        const uint32_t row = call.rows[at];
        if (!texts.is_valid(row)) continue;
        if (best == primitives::kNoRow || columns::text_at(texts, row) < columns::text_at(texts, best)) best = row;
      }
      chosen.push_back(best);
    }
    return primitives::gather(texts, chosen, call.pool);
  }
#endif
};

}  // namespace frazil::functions
