#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct month {
  static constexpr FunctionInfo info{.name = "month",
                                     .polars = {"temporal.Month"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The month of a date or moment, from 1.",
                                     .example = "month(2024-02-29) = 2"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    const T days = divide_down<T>(value, per_day);
    return static_cast<T>(day_of(days).month);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int8;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{1, 12}); }
#endif
};

}  // namespace frazil::functions
