#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct subtract_duration {
  static constexpr FunctionInfo info{.name = "subtract",
                                     .polars = {"operator.Minus"},
                                     .arguments = 2,
                                     .doc = "A moment or duration less a duration of its unit.",
                                     .example = "subtract(2024-03-01, 1d) = 2024-02-29"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &a = types.arguments[0], &b = types.arguments[1];
    const bool later = b.id == TypeId::duration && (a.id == TypeId::datetime || a.id == TypeId::duration) &&
                       a.unit == b.unit && a == types.result;
    const bool between =
        a.id == TypeId::datetime && a == b && types.result.id == TypeId::duration && types.result.unit == a.unit;
    return later || between;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const DataType whole = columns::simple(TypeId::int64);
    const DataType types[] = {whole, whole};
    const plan::Options none;
    const std::optional<uint16> id = emit.functions.find("subtract", {types, whole, none});
    FZ_CHECK(id);
    return lower::wrapping_arithmetic({builder, emit.functions, *id, types, whole, none, emit.values},
                                      lower::subtract_intervals(emit.values[0], emit.values[1]));
  }
#endif
};

}  // namespace frazil::functions
