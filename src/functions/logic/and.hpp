#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct logical_and {
  static constexpr FunctionInfo info{.name = "and",
                                     .polars = {"operator.And", "operator.LogicalAnd"},
                                     .arguments = 2,
                                     .doc = "Kleene and: false decides, else null.",
                                     .example = "and(null, false) = false"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_boolean(types); }
  static Value emit(const Emit& emit) { return lower::kleene_and(emit.builder, emit.values[0], emit.values[1]); }
#endif
};

}  // namespace frazil::functions
