#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct century {
  static constexpr FunctionInfo info{.name = "century",
                                     .polars = {"temporal.Century"},
                                     .arguments = 1,
                                     .doc = "The century of a date or moment, of which each begins with its year 1.",
                                     .example = "century(2024-02-29) = 21"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int32;
  }
  static Value emit(const Emit& emit) {
    const Value year = lower::apply(emit, "year", emit.types, emit.values, emit.result);
    const Value before = lower::by_literal(emit, "floor_quotient", lower::plus_literal(emit, year, -1), 100);
    return emit.builder.convert(lower::plus_literal(emit, before, 1), Type::i32);
  }
#endif
};

}  // namespace frazil::functions
