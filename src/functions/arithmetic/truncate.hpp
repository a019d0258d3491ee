#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct truncate {
  static constexpr FunctionInfo info{.name = "truncate",
                                     .polars = {"function.truncate"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A number without the digits that are further behind the point.",
                                     .example = "truncate(-1.29, 1) = -1.2"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::rounds(types, types.payload[0].as<int64_t>()); }
  static Value emit(const Emit& emit) {
    return lower::round_number(emit, Rounding::to_zero, *emit.payload[0].as<int64_t>());
  }
#endif
};

}  // namespace frazil::functions
