#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

// A step of functions on moments; Polars has no name for it.
struct begin_of_months {
  static constexpr FunctionInfo info{
      .name = "begin_of_months",
      .polars = {},
      .arguments = 1,
      .parameters = 1,
      .kernels = plan::set_of(Type::i64),
      .doc = "The first day of the period of so many months, counted from 1970-01, that has a day.",
      .example = "begin_of_months(40, 1) = 31"};
  template <class T>
  FZ_HD static T apply(T day, T months) {
    const Day date = day_of(day);
    const T month = static_cast<T>(date.year) * 12 + date.month - 1 - 1970 * 12;
    return first_of_month(month - modulo_down<T>(month, months) + 1970 * 12);
  }
  // Of a month that is counted from 0000-01.
  template <class T>
  FZ_HD static T first_of_month(T month) {
    return days_of(
        {static_cast<int32>(divide_down<T>(month, 12)), static_cast<int32>(modulo_down<T>(month, 12)) + 1, 1});
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
