#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct days_in_month {
  static constexpr FunctionInfo info{.name = "days_in_month",
                                     .polars = {"temporal.DaysInMonth"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "Number of days of the month.",
                                     .example = "days_in_month(2024-02-29) = 29"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    const T days = divide_down<T>(value, per_day);
    const Day day = day_of(days);
    return static_cast<T>(days_of_month(day.year, day.month));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int8;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{28, 31}); }
#endif
};

}  // namespace frazil::functions
