#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct modulo {
  static constexpr FunctionInfo info{.name = "modulo",
                                     .polars = {"operator.Modulus"},
                                     .arguments = 2,
                                     .kernels = kWholes,
                                     .doc = "Rest of a division rounded down; null for a divisor of zero.",
                                     .example = "modulo(-7, 2) = 1"};
  template <class T>
  FZ_HD static T apply(T a, T b) {
    if (b == 0 || (b == static_cast<T>(-1) && static_cast<T>(-1) < 0)) return 0;
    return modulo_down(a, b);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.result.is_integer() && lower::is_number(types.result) && types.arguments[0] == types.result &&
           types.arguments[1] == types.result;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const Type type = lower::widest_type(emit.result);
    const Value a = builder.convert(emit.values[0], type), b = builder.convert(emit.values[1], type);
    Value result = builder.map(emit.id, type, type, {a, b}, std::nullopt);
    const Value zero = builder.convert(builder.whole(0), type);
    const Value some = builder.map(emit.functions.id_of("not_equal"), type, Type::mask, {b, zero}, std::nullopt);
    result.valid = builder.mask_and(result.valid, some.operand);
    return lower::wrap_to(builder, result, emit.result);
  }
#endif
};

}  // namespace frazil::functions
