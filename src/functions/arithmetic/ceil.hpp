#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct ceil {
  static constexpr FunctionInfo info{.name = "ceil",
                                     .polars = {"function.ceil"},
                                     .arguments = 1,
                                     .failure = "overflow in decimal ceil: a result does not fit the dtype",
                                     .doc = "The least whole number that is not below a number.",
                                     .example = "ceil(-1.5) = -1.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::rounds(types); }
  static Value emit(const Emit& emit) { return lower::round_number(emit, Rounding::up, 0); }
#endif
};

}  // namespace frazil::functions
