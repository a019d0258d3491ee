#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct real_to_real {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A float of another width.",
                                     .example = "cast(0.1, 0) = 0.1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::float64 && types.result.id == TypeId::float32;
  }
  static Value emit(const Emit& emit) { return emit.builder.convert(emit.values[0], Type::f32); }
#endif
};

}  // namespace frazil::functions
