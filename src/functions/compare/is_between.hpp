#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct is_between {
  static constexpr FunctionInfo info{
      .name = "is_between",
      .polars = {"boolean.IsBetween"},
      .arguments = 3,
      .payload = 1,
      .by_value = true,
      .doc = "Whether a value lies between two bounds; `closed` says which of them count.",
      .example = "is_between(2, 1, 3, \"both\") = true"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const std::string* closed = types.payload[0].as<std::string>();
    if (!closed || (*closed != "both" && *closed != "left" && *closed != "right" && *closed != "none")) return false;
    const DataType low[] = {types.arguments[0], types.arguments[1]}, high[] = {types.arguments[0], types.arguments[2]};
    return lower::comparable({low, types.result, types.payload}) &&
           lower::comparable({high, types.result, types.payload});
  }
  static Value emit(const Emit& emit) {
    const std::string& closed = *emit.payload[0].as<std::string>();
    const bool with_low = closed == "both" || closed == "left", with_high = closed == "both" || closed == "right";
    if (auto range =
            lower::real_between(emit.builder, emit.values[0], emit.values[1], emit.values[2], with_low, with_high)) {
      return *range;
    }
    auto side = [&](int bound, const char* name, lower::Comparison comparison) {
      const DataType types[] = {emit.types[0], emit.types[bound]};
      const Value values[] = {emit.values[0], emit.values[bound]};
      return lower::compare(
          {emit.builder, emit.functions, emit.functions.id_of(name), types, emit.result, emit.payload, values},
          comparison);
    };
    const Value above = with_low ? side(1, "greater_equal", lower::Comparison::greater_equal)
                                 : side(1, "greater", lower::Comparison::greater);
    const Value below =
        with_high ? side(2, "less_equal", lower::Comparison::less_equal) : side(2, "less", lower::Comparison::less);
    return lower::kleene_and(emit.builder, above, below);
  }
#endif
};

}  // namespace frazil::functions
