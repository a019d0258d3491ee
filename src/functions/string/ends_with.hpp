#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct ends_with {
  static constexpr FunctionInfo info{.name = "ends_with",
                                     .polars = {"string.EndsWith"},
                                     .arguments = 2,
                                     .kernels = kViews,
                                     .to_mask = true,
                                     .by_value = true,
                                     .doc = "Whether a text ends with another.",
                                     .example = "ends_with(\"größer\", \"ßer\") = true"};
  template <class T>
  FZ_HD static bool apply(const T& text, const T& part) {
    if (part.length > text.length) return false;
    return same_bytes(text.data() + (text.length - part.length), part.data(), part.length);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::string && types.arguments[1].id == TypeId::string;
  }
  static Value emit(const Emit& emit) {
    return emit.builder.map(emit.id, Type::view, Type::mask, {emit.values[0], emit.values[1]}, std::nullopt);
  }
#endif
};

}  // namespace frazil::functions
