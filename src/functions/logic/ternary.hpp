#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct ternary {
  static constexpr FunctionInfo info{.name = "ternary",
                                     .polars = {"ternary"},
                                     .arguments = 3,
                                     .doc = "The second argument where the first is true, else the third.",
                                     .example = "ternary(false, 1, 2) = 2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::boolean && lower::same_numbers(types.arguments[1], types.result) &&
           lower::same_numbers(types.arguments[2], types.result) && lower::widest_type(types.result) != Type::none;
  }
  static Value emit(const Emit& emit) {
    Value yes = emit.values[1], no = emit.values[2];
    if (program::is_whole(yes.type)) {
      const lower::Pair pair = lower::to_common_type(emit.builder, yes, no);
      yes = pair.a;
      no = pair.b;
    }
    return emit.builder.select(emit.values[0], yes, no);
  }
#endif
};

}  // namespace frazil::functions
