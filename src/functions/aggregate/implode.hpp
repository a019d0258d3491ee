#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "primitives/move.hpp"
#endif

namespace frazil::functions {

struct implode {
  static constexpr FunctionInfo info{.name = "implode",
                                     .polars = {"agg.implode"},
                                     .shape = Shape::segmented,
                                     .arguments = 1,
                                     .payload = 1,  // whether in the order of their rows, which they always are
                                     .doc = "A list of all values, nulls too, in the order of their rows.",
                                     .example = "implode([2, null]) = [2, null]"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.result.id == TypeId::list && types.result.children->front().type == types.arguments[0];
  }
  static columns::Column segments(const SegmentedCall& call) {
    columns::Column lists{.type = call.result, .rows = call.segments, .physical = columns::plain_physical(call.result)};
    lists.values = call.pool->allocate((call.segments + 1) * static_cast<int64_t>(sizeof(int64_t)), info.name);
    std::copy_n(call.start.begin(), call.segments + 1, lists.values.mutable_as<int64_t>());
    lists.children = {primitives::decode(primitives::gather(call.arguments[0], call.rows, call.pool), call.pool)};
    return lists;
  }
#endif
};

}  // namespace frazil::functions
