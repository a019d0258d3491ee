#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct is_in_missing {
  static constexpr FunctionInfo info{.name = "is_in",
                                     .polars = {"boolean.IsIn"},
                                     .arguments = 1,
                                     .payload = 2,
                                     .doc = "Whether a value is in a list of literals, where a null equals a null.",
                                     .example = "is_in(null, true, [1, null]) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const plan::Options* values = types.payload[1].as<plan::Options>();
    const DataType both[] = {types.arguments[0], types.arguments[0]};
    return lower::is_true(types.payload[0]) && values && values->size() <= lower::kMostListed &&
           lower::comparable({both, types.result, types.payload});
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const Value& value = emit.values[0];
    const Value found = lower::apply(emit, "is_in", emit.types, emit.values, emit.result, others(emit.payload));
    const program::Operand known = builder.mask_and(found.operand, value.valid);
    const plan::Options& listed = *emit.payload[1].as<plan::Options>();
    const bool has_null = std::any_of(listed.begin(), listed.end(),
                                      [](const plan::Option& option) { return option.as<std::monostate>(); });
    return builder.mask_value(has_null ? builder.mask_or(known, builder.mask_not(value.valid)) : known, program::kAll);
  }
  static plan::Options others(const plan::Options& payload) { return {plan::Option{false}, payload[1]}; }
#endif
};

}  // namespace frazil::functions
