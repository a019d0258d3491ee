#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct replace_time_zone {
  static constexpr FunctionInfo info{.name = "replace_time_zone",
                                     .polars = {"temporal.ReplaceTimeZone"},
                                     .arguments = 2,
                                     .payload = 2,
                                     .doc = "The same clock in UTC, or without a zone.",
                                     .example =
                                         "replace_time_zone(2024-01-01 00:00, \"raise\", \"UTC\", \"raise\") = "
                                         "2024-01-01 00:00 UTC"};
#ifdef FZ_HOST
  // Clocks of other zones need their rules. In UTC each time is there once, so what to do else does not matter.
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    return from.id == TypeId::datetime && to.id == TypeId::datetime && from.unit == to.unit && is_plain(from) &&
           is_plain(to) && names_a_way(types);
  }
  static Value emit(const Emit& emit) { return emit.values[0]; }

 private:
  static bool is_plain(const DataType& type) { return type.zone.empty() || type.zone == "UTC"; }
  // What to do with times that are there twice; Polars raises for other words.
  static bool names_a_way(const CallTypes& types) {
    if (types.expressions.size() < 2 || types.expressions[1]->kind != plan::Expression::Kind::literal) return false;
    const std::string* word = std::get_if<std::string>(&types.expressions[1]->scalar);
    return word && (*word == "raise" || *word == "earliest" || *word == "latest");
  }
#endif
};

}  // namespace frazil::functions
