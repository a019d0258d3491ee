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
    if (part.length == 0) return true;
    const char* in = text.data();
    const char* what = part.data();
    for (uint32 at = 0; at + part.length <= text.length; ++at) {
      if (in[at] == what[0] && same_bytes(in + at, what, part.length)) return true;
    }
    return false;
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
