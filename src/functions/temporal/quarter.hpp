#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct quarter {
  static constexpr FunctionInfo info{.name = "quarter",
                                     .polars = {"temporal.Quarter"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The quarter of the year, from 1.",
                                     .example = "quarter(2024-02-29) = 1"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    const T days = divide_down<T>(value, per_day);
    return static_cast<T>((day_of(days).month + 2) / 3);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int8;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{1, 4}); }
#endif
};

}  // namespace frazil::functions
