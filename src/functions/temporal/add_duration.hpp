#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct add_duration {
  static constexpr FunctionInfo info{.name = "add",
                                     .polars = {"operator.Plus"},
                                     .arguments = 2,
                                     .doc = "A moment or duration and a duration of its unit.",
                                     .example = "add(2024-02-29, 1d) = 2024-03-01"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &a = types.arguments[0], &b = types.arguments[1];
    const bool later = b.id == TypeId::duration && (a.id == TypeId::datetime || a.id == TypeId::duration) &&
                       a.unit == b.unit && a == types.result;
    const bool swapped = a.id == TypeId::duration && b.id == TypeId::datetime && a.unit == b.unit && b == types.result;
    return later || swapped;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const DataType whole = columns::simple(TypeId::int64);
    const DataType types[] = {whole, whole};
    const plan::Options none;
    const std::optional<uint16> id = emit.functions.find("add", {types, whole, none});
    FZ_CHECK(id);
    return lower::wrapping_arithmetic({builder, emit.functions, *id, types, whole, none, emit.values},
                                      lower::add_intervals(emit.values[0], emit.values[1]));
  }
#endif
};

}  // namespace frazil::functions
