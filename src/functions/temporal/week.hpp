#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct week {
  static constexpr FunctionInfo info{.name = "week",
                                     .polars = {"temporal.Week"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The week of the year by ISO 8601.",
                                     .example = "week(2024-02-29) = 9"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    const T days = divide_down<T>(value, per_day);
    return static_cast<T>(week_of(days).week);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int8;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{1, 53}); }
#endif
};

}  // namespace frazil::functions
