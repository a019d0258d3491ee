#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct contains_any {
  static constexpr FunctionInfo info{.name = "contains_any",
                                     .polars = {"string.ContainsAny"},
                                     .arguments = 1,
                                     .payload = 2,
                                     .doc = "Whether a text has one of several literals as a part.",
                                     .example = "contains_any(\"größer\", false, [\"ß\"]) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const bool* ignores_case = types.payload[0].as<bool>();
    const plan::Options* parts = types.payload[1].as<plan::Options>();
    return types.arguments[0].id == TypeId::string && ignores_case && !*ignores_case && parts &&
           parts->size() <= kMost && std::all_of(parts->begin(), parts->end(), [](const plan::Option& part) {
             return part.as<std::string>() != nullptr;
           });
  }
  static Value emit(const Emit& emit) {
    const DataType types[] = {emit.types[0], emit.types[0]};
    Value any = emit.builder.truth(false);
    for (const plan::Option& part : *emit.payload[1].as<plan::Options>()) {
      const Value values[] = {emit.values[0], emit.builder.text(*part.as<std::string>())};
      const plan::Options literal{{true}, {true}};
      any.operand = emit.builder.mask_or(any.operand,
                                         lower::apply(emit, "contains", types, values, emit.result, literal).operand);
    }
    any.valid = emit.values[0].valid;
    return any;
  }
  // More of them want a search for all at once.
  static constexpr size_t kMost = 64;
#endif
};

}  // namespace frazil::functions
