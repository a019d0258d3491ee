#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct hour {
  static constexpr FunctionInfo info{.name = "hour",
                                     .polars = {"temporal.Hour"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The hour of the day.",
                                     .example = "hour(12:34:56) = 12"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    return static_cast<T>(modulo_down<T>(value, per_day) / (per_day / 24));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_time(types.arguments[0]) && types.result.id == TypeId::int8;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{0, 23}); }
#endif
};

}  // namespace frazil::functions
