#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct minute {
  static constexpr FunctionInfo info{.name = "minute",
                                     .polars = {"temporal.Minute"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The minute of the hour.",
                                     .example = "minute(12:34:56) = 34"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    return static_cast<T>(modulo_down<T>(value, per_day) / (per_day / 1440) % 60);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_time(types.arguments[0]) && types.result.id == TypeId::int8;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{0, 59}); }
#endif
};

}  // namespace frazil::functions
