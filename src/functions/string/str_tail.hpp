#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct str_tail {
  static constexpr FunctionInfo info{
      .name = "str_tail",
      .polars = {"string.Tail"},
      .shape = Shape::view,
      .arguments = 2,
      .doc = "The last characters of a text; all but the first ones for a negative number.",
      .example = "str_tail(\"größer\", 3) = \"ßer\""};
  template <class Arguments>
  FZ_HD static RegisterView apply(const Arguments& arguments) {
    const RegisterView& text = arguments.text(0);
    const auto count = static_cast<int64>(arguments.whole(1));
    const uint32 begin = count >= 0 ? before_characters(text, static_cast<uint64>(count))
                                    : after_characters(text, -static_cast<uint64>(count));
    return program::view_of(text.data() + begin, text.length - begin);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::string && lower::fits_64_bits(types.arguments[1]);
  }
  static Value emit(const Emit& emit) { return emit.builder.call(emit.id, Type::view, emit.values); }
#endif
};

}  // namespace frazil::functions
