#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct coalesce {
  static constexpr FunctionInfo info{.name = "coalesce",
                                     .polars = {"function.coalesce"},
                                     .arguments = -1,
                                     .doc = "The first value that is not null.",
                                     .example = "coalesce(null, 1, 2) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return !types.arguments.empty() && lower::widest_type(types.result) != Type::none &&
           std::all_of(types.arguments.begin(), types.arguments.end(),
                       [&](const DataType& type) { return lower::same_numbers(type, types.result); });
  }
  static Value emit(const Emit& emit) {
    Value chosen = emit.values.back();
    for (size_t k = emit.values.size() - 1; k-- > 0;) chosen = lower::first_valid(emit.builder, emit.values[k], chosen);
    return chosen;
  }
#endif
};

}  // namespace frazil::functions
