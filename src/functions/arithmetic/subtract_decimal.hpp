#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct subtract_decimal {
  static constexpr FunctionInfo info{.name = "subtract",
                                     .polars = {"operator.Minus"},
                                     .arguments = 2,
                                     .kernels = kSignedWholes,
                                     .may_fail = true,
                                     .failure = "overflow in decimal subtraction: it needs more than 38 digits",
                                     .doc = "Exact difference of decimals at the larger scale.",
                                     .example = "subtract(1, 0.05) = 0.95"};
  template <class T>
  FZ_HD static T apply(T a, T b, bool& bad) {
    T result;
    bad = subtract_overflows(a, b, result) || exceeds_decimal(result);
    return result;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::decimal && types.arguments[1].id == TypeId::decimal &&
           types.result.id == TypeId::decimal;
  }
  static Value emit(const Emit& emit) { return lower::sum_of_decimals(emit, true); }
#endif
};

}  // namespace frazil::functions
