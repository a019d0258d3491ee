#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct cast_time_unit {
  static constexpr FunctionInfo info{.name = "cast_time_unit",
                                     .polars = {"temporal.CastTimeUnit"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A moment or duration in another unit.",
                                     .example = "cast_time_unit(1500us, \"ms\") = 1ms"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    return from.id == to.id && from.zone == to.zone && (from.id == TypeId::duration || from.id == TypeId::datetime);
  }
  static Value emit(const Emit& emit) {  // zones do not matter to ticks
    DataType from = emit.types[0], to = emit.result;
    from.zone.clear();
    to.zone.clear();
    if (from == to) return emit.values[0];
    return lower::apply(emit, "cast", {&from, 1}, emit.values, to, {plan::Option{int64_t{1}}});
  }
#endif
};

}  // namespace frazil::functions
