#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

// A step of functions on moments; Polars has no name for it.
struct shift_months {
  static constexpr FunctionInfo info{
      .name = "shift_months",
      .polars = {},
      .arguments = 1,
      .parameters = 1,
      .kernels = plan::set_of(Type::i64),
      .doc = "The same day so many months later, or the last of a month that has no such day.",
      .example = "shift_months(30, 1) = 58"};
  template <class T>
  FZ_HD static T apply(T day, T months) {
    const Day date = day_of(day);
    const T month = static_cast<T>(date.year) * 12 + date.month - 1 + months;
    const auto year = static_cast<int32>(divide_down<T>(month, 12));
    const int32 of_year = static_cast<int32>(modulo_down<T>(month, 12)) + 1, most = days_of_month(year, of_year);
    return days_of({year, of_year, date.day < most ? date.day : most});
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes&) { return false; }  // only called by other functions
  static Value emit(const Emit&) { FZ_CHECK(false); }
#endif
};

}  // namespace frazil::functions
