#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct truth_to_number {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "Truth as 1, else 0.",
                                     .example = "cast(true, 0) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::boolean && lower::is_number(types.result);
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const Type type = lower::widest_type(emit.result);
    auto number = [&](int value) {
      return program::is_float(type) ? builder.real(value, type) : builder.convert(builder.whole(value), type);
    };
    Value chosen = builder.select({emit.values[0].operand, Type::mask, program::kAll, {}}, number(1), number(0));
    chosen.valid = emit.values[0].valid;
    return chosen;
  }
#endif
};

}  // namespace frazil::functions
