#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct modulo_real {
  static constexpr FunctionInfo info{.name = "modulo",
                                     .polars = {"operator.Modulus"},
                                     .arguments = 2,
                                     .doc = "Rest of a division of floats, rounded down.",
                                     .example = "modulo(-7.0, 2.0) = 1.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_reals(types); }
  static Value emit(const Emit& emit) {
    const Value factors[] = {emit.values[1], lower::floor_of_quotient(emit)};
    const Value parts[] = {emit.values[0], lower::apply(emit, "multiply", emit.types, factors, emit.result)};
    return lower::apply(emit, "subtract", emit.types, parts, emit.result);
  }
#endif
};

}  // namespace frazil::functions
