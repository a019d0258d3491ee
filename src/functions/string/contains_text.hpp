#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct contains_text {
  static constexpr FunctionInfo info{.name = "contains",
                                     .polars = {"string.Contains"},
                                     .arguments = 2,
                                     .payload = 2,
                                     .kernels = kViews,
                                     .to_mask = true,
                                     .by_value = true,
                                     .doc = "Whether a text has another in it.",
                                     .example = "contains(\"größer\", \"röß\", true, true) = true"};
  template <class T>
  FZ_HD static bool apply(const T& text, const T& part) {
    return find_part(text, 0, part) <= text.length;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::string && types.arguments[1].id == TypeId::string &&
           types.payload[0].as<bool>() && *types.payload[0].as<bool>();
  }
  static Value emit(const Emit& emit) {
    return emit.builder.map(emit.id, Type::view, Type::mask, {emit.values[0], emit.values[1]}, std::nullopt);
  }
#endif
};

}  // namespace frazil::functions
