#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct real_to_moment {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A float without its fraction as days, or ticks of a unit.",
                                     .example = "cast(1.5, 0) = 1970-01-02"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const TypeId from = types.arguments[0].id, to = types.result.id;
    const lower::CastMode mode = lower::cast_mode(types);
    return (from == TypeId::float32 || from == TypeId::float64) &&
           (to == TypeId::date || to == TypeId::datetime || to == TypeId::duration) &&
           (mode == lower::CastMode::raise || mode == lower::CastMode::null);
  }
  static Value emit(const Emit& emit) {
    const DataType whole = columns::simple(emit.result.id == TypeId::date ? TypeId::int32 : TypeId::int64);
    return lower::apply(emit, "cast", emit.types, emit.values, whole, emit.payload);
  }
#endif
};

}  // namespace frazil::functions
