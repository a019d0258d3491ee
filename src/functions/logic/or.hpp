#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct logical_or {
  static constexpr FunctionInfo info{.name = "or",
                                     .polars = {"operator.Or", "operator.LogicalOr"},
                                     .arguments = 2,
                                     .doc = "Kleene or: true decides, else null.",
                                     .example = "or(null, true) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_boolean(types); }
  static Value emit(const Emit& emit) { return lower::kleene_or(emit.builder, emit.values[0], emit.values[1]); }
#endif
};

}  // namespace frazil::functions
