#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct ordinal_day {
  static constexpr FunctionInfo info{.name = "ordinal_day",
                                     .polars = {"temporal.OrdinalDay"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The day of the year, from 1.",
                                     .example = "ordinal_day(2024-02-29) = 60"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    const T days = divide_down<T>(value, per_day);
    return static_cast<T>(days - days_before_year(day_of(days).year) + 1);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int16;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{1, 366}); }
#endif
};

}  // namespace frazil::functions
