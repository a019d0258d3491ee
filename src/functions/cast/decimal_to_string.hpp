#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct decimal_to_string {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .shape = Shape::host,
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A decimal in digits, with all that its scale has behind the point.",
                                     .example = "cast(-1.50, 0) = \"-1.50\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::decimal && types.result.id == TypeId::string;
  }
  static Value emit(const Emit& emit) {
    const Value arguments[] = {emit.values[0], emit.builder.whole(emit.types[0].scale)};
    return emit.builder.call(emit.id, Type::view, arguments, false, emit.text_slot);
  }
  template <class Arguments>
  static std::string apply(const Arguments& arguments) {
    const int128 value = arguments.whole(0);
    const auto scale = static_cast<size_t>(arguments.whole(1));
    std::string digits = plan::text_of(value < 0 ? -value : value);
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    if (scale > 0) digits.insert(digits.size() - scale, 1, '.');
    return value < 0 ? "-" + digits : digits;
  }
#endif
};

}  // namespace frazil::functions
