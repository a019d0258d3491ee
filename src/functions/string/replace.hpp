#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct replace {
  static constexpr FunctionInfo info{.name = "replace",
                                     .polars = {"string.Replace"},
                                     .shape = Shape::string,
                                     .arguments = 3,
                                     .payload = 2,
                                     .doc =
                                         "A text with another in the place of its first parts, or of all for -1. Both "
                                         "are literals, the part no pattern.",
                                     .example = "replace(\"größer\", \"ß\", \"ss\", 1, true) = \"grösser\""};
  template <class Arguments>
  FZ_HD static int64 bytes(const Arguments& arguments) {
    const RegisterView &part = arguments.text(1), &other = arguments.text(2);
    int64 bytes = arguments.text(0).length;
    each_part(arguments.text(0), part, most(arguments),
              [&](uint32) { bytes += int64{other.length} - int64{part.length}; });
    return bytes;
  }
  template <class Arguments>
  FZ_HD static void write(const Arguments& arguments, char* out) {
    const RegisterView &text = arguments.text(0), &part = arguments.text(1), &other = arguments.text(2);
    uint32 copied = 0;
    each_part(text, part, most(arguments), [&](uint32 at) {
      out = append(append(out, text.data() + copied, at - copied), other);
      copied = at + part.length;
    });
    append(out, text.data() + copied, text.length - copied);
  }
  template <class Arguments>
  FZ_HD static uint64 most(const Arguments& arguments) {
    const int128 count = arguments.whole(3);
    return count < 0 ? ~uint64{0} : static_cast<uint64>(count);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const bool* literal = types.payload[1].as<bool>();
    if (!lower::all_texts(types) || !types.payload[0].as<int64_t>() || !literal || types.expressions.size() != 3)
      return false;
    const std::string *part = text_of(*types.expressions[1]), *other = text_of(*types.expressions[2]);
    // Without such characters Polars, too, takes a pattern for a text, and what replaces it.
    const bool plain = part && other && part->find_first_of("\\.+*?()|[]{}^$#&-~") == std::string::npos &&
                       other->find('$') == std::string::npos;
    return part && other && (*literal || plain);
  }
  static const std::string* text_of(const plan::Expression& expression) {
    return expression.kind == plan::Expression::Kind::literal ? std::get_if<std::string>(&expression.scalar) : nullptr;
  }
  static Value emit(const Emit& emit) {
    std::vector<Value> arguments(emit.values.begin(), emit.values.end());
    arguments.push_back(emit.builder.whole(*emit.payload[0].as<int64_t>()));
    return emit.builder.call(emit.id, Type::view, arguments, false, emit.text_slot);
  }
#endif
};

}  // namespace frazil::functions
