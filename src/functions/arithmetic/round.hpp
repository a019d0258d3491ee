#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct round {
  static constexpr FunctionInfo info{
      .name = "round",
      .polars = {"function.round"},
      .arguments = 1,
      .payload = 2,
      .failure = "overflow in decimal rounding: a result does not fit the dtype",
      .doc = "A number with so many digits after the point; halves go to the even digit, or away from zero.",
      .example = "round(0.125, 2, \"half_to_even\") = 0.12"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const std::string* mode = types.payload[1].as<std::string>();
    return mode && (*mode == "half_to_even" || *mode == "half_away_from_zero") &&
           lower::rounds(types, types.payload[0].as<int64_t>());
  }
  static Value emit(const Emit& emit) {
    const bool even = *emit.payload[1].as<std::string>() == "half_to_even";
    return lower::round_number(emit, even ? Rounding::half_to_even : Rounding::half_from_zero,
                               *emit.payload[0].as<int64_t>());
  }
#endif
};

}  // namespace frazil::functions
