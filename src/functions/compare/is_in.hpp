#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct is_in {
  static constexpr FunctionInfo info{.name = "is_in",
                                     .polars = {"boolean.IsIn"},
                                     .arguments = 1,
                                     .payload = 2,
                                     .by_value = true,
                                     .doc = "Whether a value is in a list of literals, of which nulls equal nothing.",
                                     .example = "is_in(2, [1, 2]) = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const bool* nulls_equal = types.payload[0].as<bool>();
    const plan::Options* values = types.payload[1].as<plan::Options>();
    if (!nulls_equal || *nulls_equal || !values || values->size() > lower::kMostListed) return false;
    const DataType& type = types.arguments[0];
    const DataType both[] = {type, type};
    return lower::comparable({both, types.result, types.payload});
  }
  static Value emit(const Emit& emit) {
    const DataType types[] = {emit.types[0], emit.types[0]};
    Value any = emit.builder.truth(false);
    any.valid = emit.values[0].valid;
    for (const plan::Option& option : *emit.payload[1].as<plan::Options>()) {
      if (option.as<std::monostate>()) continue;  // a null equals nothing
      const Value values[] = {emit.values[0], literal(emit, option)};
      const Value same = lower::compare(
          {emit.builder, emit.functions, emit.functions.id_of("equal"), types, emit.result, emit.payload, values},
          lower::Comparison::equal);
      any.operand = emit.builder.mask_or(any.operand, same.operand);
    }
    return any;
  }
  static Value literal(const Emit& emit, const plan::Option& option) {
    const Type type = lower::widest_type(emit.types[0]);
    if (const std::string* text = option.as<std::string>()) return emit.builder.text(*text);
    if (const bool* truth = option.as<bool>()) return emit.builder.truth(*truth);
    if (const double* real = option.as<double>()) return emit.builder.real(*real, type);
    const int64_t whole = *option.as<int64_t>();
    return program::is_float(type) ? emit.builder.real(static_cast<double>(whole), type) : emit.builder.whole(whole);
  }
#endif
};

}  // namespace frazil::functions
