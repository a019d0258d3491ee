#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct str_head {
  static constexpr FunctionInfo info{
      .name = "str_head",
      .polars = {"string.Head"},
      .shape = Shape::view,
      .arguments = 2,
      .doc = "The first characters of a text; all but the last ones for a negative number.",
      .example = "str_head(\"größer\", 3) = \"grö\""};
  template <class Arguments>
  FZ_HD static RegisterView apply(const Arguments& arguments) {
    const RegisterView& text = arguments.text(0);
    const auto count = static_cast<int64>(arguments.whole(1));
    const uint32 end = count >= 0 ? after_characters(text, static_cast<uint64>(count))
                                  : before_characters(text, -static_cast<uint64>(count));
    return program::view_of(text.data(), end);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::string && lower::fits_64_bits(types.arguments[1]);
  }
  static Value emit(const Emit& emit) { return emit.builder.call(emit.id, Type::view, emit.values); }
#endif
};

}  // namespace frazil::functions
