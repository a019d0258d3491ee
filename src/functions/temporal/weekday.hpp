#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct weekday {
  static constexpr FunctionInfo info{.name = "weekday",
                                     .polars = {"temporal.WeekDay"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The day of the week; Monday is 1.",
                                     .example = "weekday(2024-02-29) = 4"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    const T days = divide_down<T>(value, per_day);
    return static_cast<T>(weekday_of(days));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int8;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{1, 7}); }
#endif
};

}  // namespace frazil::functions
