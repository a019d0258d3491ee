#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct fill_null {
  static constexpr FunctionInfo info{.name = "fill_null",
                                     .polars = {"function.fill_null"},
                                     .arguments = 2,
                                     .doc = "The first value, or the second where that is null.",
                                     .example = "fill_null(null, 1) = 1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return !types.arguments.empty() && lower::widest_type(types.result) != Type::none &&
           std::all_of(types.arguments.begin(), types.arguments.end(),
                       [&](const DataType& type) { return lower::same_numbers(type, types.result); });
  }
  static Value emit(const Emit& emit) { return lower::first_valid(emit.builder, emit.values[0], emit.values[1]); }
#endif
};

}  // namespace frazil::functions
