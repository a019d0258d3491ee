#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct iso_year {
  static constexpr FunctionInfo info{.name = "iso_year",
                                     .polars = {"temporal.IsoYear"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The year to which the week belongs by ISO 8601.",
                                     .example = "iso_year(2024-12-30) = 2025"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    const T days = divide_down<T>(value, per_day);
    return static_cast<T>(week_of(days).year);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::int32;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{-300000, 300000}); }
#endif
};

}  // namespace frazil::functions
