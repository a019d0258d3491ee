#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct whole_to_string {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .shape = Shape::host,
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "A whole number in decimal digits.",
                                     .example = "cast(-1, 0) = \"-1\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].is_integer() && types.arguments[0].id != TypeId::uint128 &&
           types.result.id == TypeId::string;
  }
  static Value emit(const Emit& emit) {
    return emit.builder.call(emit.id, Type::view, emit.values, false, emit.text_slot);
  }
  template <class Arguments>
  static std::string apply(const Arguments& arguments) {
    const int128 value = arguments.whole(0);
    const auto narrow = static_cast<int64>(value);  // dividing 128 bits is slow
    return narrow == value ? std::to_string(narrow) : plan::text_of(value);
  }
#endif
};

}  // namespace frazil::functions
