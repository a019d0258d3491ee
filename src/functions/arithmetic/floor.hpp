#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct floor {
  static constexpr FunctionInfo info{.name = "floor",
                                     .polars = {"function.floor"},
                                     .arguments = 1,
                                     .failure = "overflow in decimal floor: a result does not fit the dtype",
                                     .doc = "The largest whole number that is not above a number.",
                                     .example = "floor(-1.5) = -2.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::rounds(types); }
  static Value emit(const Emit& emit) { return lower::round_number(emit, Rounding::down, 0); }
#endif
};

}  // namespace frazil::functions
