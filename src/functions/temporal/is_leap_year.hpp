#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct is_leap_year {
  static constexpr FunctionInfo info{.name = "is_leap_year",
                                     .polars = {"temporal.IsLeapYear"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .to_mask = true,
                                     .doc = "Whether the year has 366 days.",
                                     .example = "is_leap_year(2024-02-29) = true"};
  template <class T>
  FZ_HD static bool apply(T value, T per_day) {
    const T days = divide_down<T>(value, per_day);
    return is_leap(day_of(days).year);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::boolean;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, std::nullopt); }
#endif
};

}  // namespace frazil::functions
