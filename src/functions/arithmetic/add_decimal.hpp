#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct add_decimal {
  static constexpr FunctionInfo info{.name = "add",
                                     .polars = {"operator.Plus"},
                                     .arguments = 2,
                                     .kernels = kSignedWholes,
                                     .may_fail = true,
                                     .failure = "overflow in decimal addition: it needs more than 38 digits",
                                     .doc = "Exact sum of decimals at the larger scale.",
                                     .example = "add(0.50, 0.25) = 0.75"};
  template <class T>
  FZ_HD static T apply(T a, T b, bool& bad) {
    T result;
    bad = add_overflows(a, b, result) || exceeds_decimal(result);
    return result;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::decimal && types.arguments[1].id == TypeId::decimal &&
           types.result.id == TypeId::decimal;
  }
  static Value emit(const Emit& emit) { return lower::sum_of_decimals(emit, false); }
#endif
};

}  // namespace frazil::functions
