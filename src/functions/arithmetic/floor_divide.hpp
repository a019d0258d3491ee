#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct floor_divide {
  static constexpr FunctionInfo info{.name = "floor_divide",
                                     .polars = {"operator.FloorDivide"},
                                     .arguments = 2,
                                     .kernels = kWholes,
                                     .doc = "Quotient rounded down; null for a divisor of zero.",
                                     .example = "floor_divide(-7, 2) = -4"};
  template <class T>
  FZ_HD static T apply(T a, T b) {
    using U = typename Unsigned<T>::U;
    if (b == 0) return 0;
    if (b == static_cast<T>(-1) && static_cast<T>(-1) < 0) return static_cast<T>(U(0) - static_cast<U>(a));
    return divide_down(a, b);
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
