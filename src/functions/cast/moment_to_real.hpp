#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct moment_to_real {
  static constexpr FunctionInfo info{
      .name = "cast",
      .polars = {"cast"},
      .arguments = 1,
      .payload = 1,
      .doc = "The days of a date, or the ticks of another moment or duration, as a float.",
      .example = "cast(1970-01-02, 0) = 1.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const TypeId from = types.arguments[0].id, to = types.result.id;
    return (from == TypeId::date || from == TypeId::time || from == TypeId::datetime || from == TypeId::duration) &&
           (to == TypeId::float32 || to == TypeId::float64);
  }
  static Value emit(const Emit& emit) { return emit.builder.convert(emit.values[0], lower::widest_type(emit.result)); }
#endif
};

}  // namespace frazil::functions
