#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct number_to_truth {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "Whether a number is not zero.",
                                     .example = "cast(2, 0) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& from = types.arguments[0];
    return types.result.id == TypeId::boolean && (lower::is_number(from) || from.id == TypeId::decimal);
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const Value& value = emit.values[0];
    const Value zero =
        program::is_float(value.type) ? builder.real(0, value.type) : builder.convert(builder.whole(0), value.type);
    return builder.map(emit.functions.id_of("not_equal"), value.type, Type::mask, {value, zero}, std::nullopt);
  }
#endif
};

}  // namespace frazil::functions
