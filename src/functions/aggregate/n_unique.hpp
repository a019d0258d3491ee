#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "primitives/distinct.hpp"
#endif

namespace frazil::functions {

struct n_unique {
  static constexpr FunctionInfo info{.name = "n_unique",
                                     .polars = {"agg.n_unique"},
                                     .shape = Shape::segmented,
                                     .arguments = 1,
                                     .doc = "Number of different values; null is one, and so is NaN.",
                                     .example = "n_unique([1, 1, null]) = 2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::widest_type(types.arguments[0]) != Type::none && types.result.id == TypeId::uint32;
  }
  static columns::Column segments(const SegmentedCall& call) {
    const primitives::NumberedValues values = primitives::number_values(call.arguments[0], call.rows, call.pool);
    columns::Column counts = lower::plain_column(call.result, call.segments(), call.pool);
    // For each value the last segment that had it, counted from 1.
    memory::Buffer last = call.pool->allocate_zeroed(int64_t{values.count} * sizeof(uint32_t), "n_unique");
    for (size_t s = 0; s + 1 < call.start.size(); ++s) {
      uint32_t count = 0;
      for (uint32_t at = call.start[s]; at < call.start[s + 1]; ++at) {
        uint32_t& seen = last.mutable_as<uint32_t>()[values.begin()[at]];
        count += seen != s + 1;
        seen = static_cast<uint32_t>(s + 1);
      }
      counts.values.mutable_as<uint32_t>()[s] = count;
    }
    return counts;
  }
#endif
};

}  // namespace frazil::functions
