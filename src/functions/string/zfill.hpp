#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct zfill {
  static constexpr FunctionInfo info{.name = "zfill",
                                     .polars = {"string.ZFill"},
                                     .shape = Shape::string,
                                     .arguments = 2,
                                     .doc = "A text that is made as many characters long by zeros behind its sign.",
                                     .example = "zfill(\"-1\", 4) = \"-001\""};
  template <class Arguments>
  FZ_HD static uint64 missing(const Arguments& arguments) {
    const auto wanted = static_cast<uint64>(arguments.whole(1)), has = uint64{characters_of(arguments.text(0))};
    return wanted > has ? wanted - has : 0;
  }
  template <class Arguments>
  FZ_HD static int64 bytes(const Arguments& arguments) {
    return static_cast<int64>(arguments.text(0).length + missing(arguments));
  }
  template <class Arguments>
  FZ_HD static void write(const Arguments& arguments, char* out) {
    const RegisterView& text = arguments.text(0);
    const char* at = text.data();
    const uint64 count = missing(arguments);
    const uint32 sign = text.length > 0 && (at[0] == '-' || at[0] == '+');
    out = append(out, at, sign);
    for (uint64 k = 0; k < count; ++k) *out++ = '0';
    append(out, at + sign, text.length - sign);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::string && types.arguments[1].id == TypeId::uint64;
  }
  static Value emit(const Emit& emit) {
    return emit.builder.call(emit.id, Type::view, emit.values, false, emit.text_slot);
  }
#endif
};

}  // namespace frazil::functions
