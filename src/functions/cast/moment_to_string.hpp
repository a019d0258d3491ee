#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

#ifdef FZ_HOST
#include <cstdio>
#endif

namespace frazil::functions {

struct moment_to_string {
  static constexpr FunctionInfo info{
      .name = "cast",
      .polars = {"cast"},
      .shape = Shape::host,
      .arguments = 1,
      .payload = 1,
      .doc = "A date, moment or time as ISO 8601 writes it; moments have the fraction of their unit.",
      .example = "cast(2024-02-29, 0) = \"2024-02-29\""};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& from = types.arguments[0];
    return (from.id == TypeId::date || from.id == TypeId::time || (from.id == TypeId::datetime && from.zone.empty())) &&
           types.result.id == TypeId::string;
  }
  // The moment in ticks, how many a day has, and whether there is a date, and a time.
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const DataType& from = emit.types[0];
    Value moment = emit.values[0];
    if (from.id != TypeId::time) moment = lower::within_calendar(builder, moment, lower::ticks_of_day(from));
    const Value arguments[] = {moment, builder.whole(lower::ticks_of_day(from)),
                               builder.whole(from.id == TypeId::time ? 0 : 1)};
    return builder.call(emit.id, Type::view, arguments, false, emit.text_slot);
  }
  template <class Arguments>
  static std::string apply(const Arguments& arguments) {
    const auto moment = static_cast<int64>(arguments.whole(0)), per_day = static_cast<int64>(arguments.whole(1));
    if (arguments.whole(2) == 0) return time_text(moment / (per_day / 86400), 86400);
    const std::string date = date_text(divide_down(moment, per_day));
    return per_day == 1 ? date : date + " " + time_text(modulo_down(moment, per_day), per_day);
  }
  static std::string date_text(int64 days) {
    const Day day = day_of(days);
    char text[40];
    const bool plain = day.year >= 0 && day.year <= 9999;
    std::snprintf(text, sizeof text, plain ? "%04d-%02d-%02d" : "%+05d-%02d-%02d", day.year, day.month, day.day);
    return text;
  }
  static std::string time_text(int64 ticks, int64 per_day) {
    const int64 per_second = per_day / 86400, seconds = ticks / per_second;
    char text[40];
    const int end = std::snprintf(text, sizeof text, "%02d:%02d:%02d", static_cast<int>(seconds / 3600),
                                  static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
    if (per_second == 1) return text;
    const int digits = per_second == 1000 ? 3 : per_second == 1000000 ? 6 : 9;
    std::snprintf(text + end, sizeof text - static_cast<size_t>(end), ".%0*ld", digits, ticks % per_second);
    return text;
  }
#endif
};

}  // namespace frazil::functions
