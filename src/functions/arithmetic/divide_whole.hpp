#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct divide_whole {
  static constexpr FunctionInfo info{.name = "divide",
                                     .polars = {"operator.TrueDivide"},
                                     .arguments = 2,
                                     .doc = "Quotient of whole numbers as a float.",
                                     .example = "divide(3, 2) = 1.5"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.result.id == TypeId::float64 && types.arguments[0].is_integer() && types.arguments[1].is_integer() &&
           types.arguments[0].id != TypeId::uint128 && types.arguments[1].id != TypeId::uint128 &&
           types.arguments[0].id != TypeId::int128 && types.arguments[1].id != TypeId::int128;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    return builder.map(emit.functions.id_of("divide"), Type::f64, Type::f64,
                       {builder.convert(emit.values[0], Type::f64), builder.convert(emit.values[1], Type::f64)},
                       std::nullopt);
  }
#endif
};

}  // namespace frazil::functions
