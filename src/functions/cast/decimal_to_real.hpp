#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct decimal_to_real {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A decimal as a float.",
                                     .example = "cast(1.50, 0) = 1.5"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::decimal &&
           (types.result.id == TypeId::float32 || types.result.id == TypeId::float64);
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    Value value = builder.convert(emit.values[0], Type::f64);
    if (emit.types[0].scale > 0) {
      const Value unit = builder.real(static_cast<double>(lower::power_of_ten(emit.types[0].scale)));
      value = builder.map(emit.functions.id_of("divide"), Type::f64, Type::f64, {value, unit}, std::nullopt);
    }
    return builder.convert(value, lower::widest_type(emit.result));
  }
#endif
};

}  // namespace frazil::functions
