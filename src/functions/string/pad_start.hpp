#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct pad_start {
  static constexpr FunctionInfo info{.name = "pad_start",
                                     .polars = {"string.PadStart"},
                                     .shape = Shape::string,
                                     .arguments = 2,
                                     .payload = 1,
                                     .doc = "A text that is made as many characters long by another one at its begin.",
                                     .example = "pad_start(\"ab\", 3, \".\") = \".ab\""};
  template <class Arguments>
  FZ_HD static uint64 missing(const Arguments& arguments) {
    const auto wanted = static_cast<uint64>(arguments.whole(1)), has = uint64{characters_of(arguments.text(0))};
    return wanted > has ? wanted - has : 0;
  }
  template <class Arguments>
  FZ_HD static int64 bytes(const Arguments& arguments) {
    return static_cast<int64>(arguments.text(0).length + missing(arguments) * arguments.text(2).length);
  }
  template <class Arguments>
  FZ_HD static void write(const Arguments& arguments, char* out) {
    const uint64 count = missing(arguments);
    for (uint64 k = 0; k < count; ++k) out = append(out, arguments.text(2));
    append(out, arguments.text(0));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.payload[0].as<std::string>() && types.arguments[0].id == TypeId::string &&
           types.arguments[1].id == TypeId::uint64;
  }
  static Value emit(const Emit& emit) {
    const Value arguments[] = {emit.values[0], emit.values[1], emit.builder.text(*emit.payload[0].as<std::string>())};
    return emit.builder.call(emit.id, Type::view, arguments, false, emit.text_slot);
  }
#endif
};

}  // namespace frazil::functions
