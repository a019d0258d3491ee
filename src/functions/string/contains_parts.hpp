#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// Most patterns are texts, or two with anything between: they need no automaton, and devices know them too.
struct contains_parts {
  static constexpr FunctionInfo info{.name = "contains",
                                     .polars = {"string.Contains"},
                                     .arguments = 2,
                                     .parameters = 1,
                                     .payload = 2,
                                     .kernels = kViews,
                                     .to_mask = true,
                                     .by_value = true,
                                     .doc =
                                         "Whether a pattern that is a text without special characters, or two of them "
                                         "with \".*\" between, matches a part of a text.",
                                     .example = "contains(\"größer\", \"r.*er\", false, true) = true"};
  // The second one has to follow the first on the same line.
  template <class T>
  FZ_HD static bool apply(const T& text, const T& first, const T& second) {
    for (uint32 at = find_part(text, 0, first); at <= text.length; at = find_part(text, at + 1, first)) {
      at += first.length;
      const uint32 found = find_part(text, at, second);
      if (found > text.length) return false;
      while (at < found && text.data()[at] != '\n') ++at;
      if (at == found) return true;
    }
    return false;
  }
#ifdef FZ_HOST
  struct Parts {
    std::string first, second;
  };
  static bool accepts(const CallTypes& types) {
    const bool* literal = types.payload[0].as<bool>();
    return types.arguments[0].id == TypeId::string && literal && !*literal && parts(types.expressions).has_value();
  }
  static std::optional<Parts> parts(std::span<const plan::ExpressionPtr> arguments) {
    const std::string* pattern = arguments.size() == 2 && arguments[1]->kind == plan::Expression::Kind::literal
                                     ? std::get_if<std::string>(&arguments[1]->scalar)
                                     : nullptr;
    if (!pattern) return std::nullopt;
    const size_t gap = pattern->find(".*");
    Parts parts{pattern->substr(0, gap), gap == std::string::npos ? "" : pattern->substr(gap + 2)};
    const bool plain = (parts.first + parts.second).find_first_of("\\.+*?()|[]{}^$\n") == std::string::npos;
    return plain ? std::optional(parts) : std::nullopt;
  }
  static Value emit(const Emit& emit) {
    const Parts found = *parts(emit.expressions);
    const Value first = emit.builder.text(found.first), second = emit.builder.text(found.second);
    return emit.builder.map(emit.id, Type::view, Type::mask, {emit.values[0], first, second}, std::nullopt);
  }
#endif
};

}  // namespace frazil::functions
