#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct floor_divide_real {
  static constexpr FunctionInfo info{.name = "floor_divide",
                                     .polars = {"operator.FloorDivide"},
                                     .arguments = 2,
                                     .doc = "Quotient of floats, rounded down.",
                                     .example = "floor_divide(-7.0, 2.0) = -4.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_reals(types); }
  static Value emit(const Emit& emit) { return lower::floor_of_quotient(emit); }
#endif
};

}  // namespace frazil::functions
