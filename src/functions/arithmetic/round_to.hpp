#pragma once

#include "base/rounding.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

// A step of all functions that round; Polars has no name for it.
struct round_to {
  static constexpr FunctionInfo info{
      .name = "round_to",
      .polars = {},
      .arguments = 1,
      .parameters = 2,
      .kernels = kSignedWholes | plan::set_of(Type::f64),
      .may_fail = true,
      .doc = "A whole number as a multiple of a unit; a float with so many parts of one. The last argument tells how.",
      .example = "round_to(17, 10, 0) = 10"};
  template <class T>
  FZ_HD static T apply(T value, T unit, T how, bool& bad) {
    const auto rounding = static_cast<Rounding>(static_cast<int32>(how));
    if constexpr (kSame<T, double>) {
      const double result = rounded(value * unit, rounding) / unit;
      return result - result == 0 ? result : value;  // infinities and NaN; what the unit makes too large
    } else {
      const T result = rounded_to(value, unit, rounding);
      bad = exceeds_decimal(result);
      return result;
    }
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
