#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct clip {
  static constexpr FunctionInfo info{
      .name = "clip",
      .polars = {"function.clip"},
      .arguments = -1,
      .payload = 2,
      .doc = "A value within bounds, of which one may be missing; a null bound does not count.",
      .example = "clip(5, 1, 3, true, true) = 3"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const bool *low = types.payload[0].as<bool>(), *high = types.payload[1].as<bool>();
    const DataType& type = types.arguments[0];
    if (!low || !high || types.arguments.size() != size_t{1} + *low + *high || type != types.result) return false;
    if (!lower::ordered(type)) return false;
    for (size_t k = 1; k < types.arguments.size(); ++k) {
      if (types.arguments[k] != type && !lower::literal_fits(*types.expressions[k], type)) return false;
    }
    return true;
  }
  // The lower bound wins where it is above the upper one.
  static Value emit(const Emit& emit) {
    const bool low = *emit.payload[0].as<bool>(), high = *emit.payload[1].as<bool>();
    Value value = emit.values[0], raised = value;
    if (low) raised = within(emit, value, bound(emit, 1), true);
    if (high) value = within(emit, value, bound(emit, 1 + low), false);
    if (!low || !high) return low ? raised : value;
    const lower::Pair pair = lower::to_common_type(emit.builder, emit.values[0], raised);
    const Value moved =
        emit.builder.map(emit.functions.id_of("not_equal"), pair.type, Type::mask, {pair.a, pair.b}, std::nullopt);
    const lower::Pair sides = lower::to_common_type(emit.builder, raised, value);
    return emit.builder.select(moved, sides.a, sides.b);
  }
  static Value bound(const Emit& emit, size_t k) {
    return emit.types[k] == emit.types[0] ? emit.values[k]
                                          : lower::literal_as(emit.builder, *emit.expressions[k], emit.types[0]);
  }
  static Value within(const Emit& emit, const Value& value, Value bound, bool is_lowest) {
    bound = lower::first_valid(emit.builder, bound, value);
    return lower::bounded(emit, value, bound, is_lowest);
  }
#endif
};

}  // namespace frazil::functions
