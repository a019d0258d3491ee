#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct millennium {
  static constexpr FunctionInfo info{.name = "millennium",
                                     .polars = {"temporal.Millennium"},
                                     .arguments = 1,
                                     .doc = "The millennium of a date or moment, of which each begins with its year 1.",
                                     .example = "millennium(2024-02-29) = 3"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int32;
  }
  static Value emit(const Emit& emit) {
    const Value year = lower::apply(emit, "year", emit.types, emit.values, emit.result);
    const Value before = lower::by_literal(emit, "floor_quotient", lower::plus_literal(emit, year, -1), 1000);
    return emit.builder.convert(lower::plus_literal(emit, before, 1), Type::i32);
  }
#endif
};

}  // namespace frazil::functions
