#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include <re2/re2.h>

#include "lower/pattern.hpp"
#endif

namespace frazil::functions {

// Patterns are those of Rust: see lower/pattern.hpp for how they are told to RE2.
struct contains_pattern {
  static constexpr FunctionInfo info{
      .name = "contains",
      .polars = {"string.Contains"},
      .shape = Shape::host,
      .arguments = 2,
      .payload = 2,
      .to_mask = true,
      .by_value = true,
      .doc = "Whether a regular expression, which is a literal, matches a part of a text.",
      .example = "contains(\"größer\", \"r.ß\", false, true) = true"};
#ifdef FZ_HOST
  using Bound = re2::RE2;
  static bool accepts(const CallTypes& types) {
    const bool* literal = types.payload[0].as<bool>();
    return types.arguments[0].id == TypeId::string && literal && !*literal && pattern(types.expressions) != nullptr;
  }
  static Value emit(const Emit& emit) {
    const Value text[] = {emit.values[0]};
    const int slot = emit.add_state(std::shared_ptr<re2::RE2>(pattern(emit.expressions)));
    return emit.builder.call(emit.id, Type::mask, text, false, slot);
  }
  // Null for what RE2 cannot be told.
  static std::unique_ptr<re2::RE2> pattern(std::span<const plan::ExpressionPtr> arguments) {
    const std::string* text = arguments.size() == 2 && arguments[1]->kind == plan::Expression::Kind::literal
                                  ? std::get_if<std::string>(&arguments[1]->scalar)
                                  : nullptr;
    const std::optional<std::string> told = text ? lower::re2_pattern(*text) : std::nullopt;
    if (!told) return nullptr;
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto made = std::make_unique<re2::RE2>(*told, options);
    return made->ok() ? std::move(made) : nullptr;
  }
  template <class Arguments>
  static bool apply(const Arguments& arguments, const Bound& pattern) {
    const RegisterView& text = arguments.text(0);
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.length), pattern);
  }
#endif
};

}  // namespace frazil::functions
