#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct moment_to_time {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "The time of day of a moment.",
                                     .example = "cast(2024-02-29 12:00:00, 0) = 12:00:00"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::datetime && types.arguments[0].zone.empty() &&
           types.result.id == TypeId::time;
  }
  static Value emit(const Emit& emit) { return lower::apply(emit, "time", emit.types, emit.values, emit.result); }
#endif
};

}  // namespace frazil::functions
