#pragma once

#include "base/calendar.hpp"
#include "functions/function.hpp"

namespace frazil::functions {

struct nanosecond {
  static constexpr FunctionInfo info{.name = "nanosecond",
                                     .polars = {"temporal.Nanosecond"},
                                     .arguments = 1,
                                     .parameters = 1,
                                     .kernels = plan::set_of(Type::i32) | plan::set_of(Type::i64),
                                     .doc = "The part of a second, in nanoseconds.",
                                     .example = "nanosecond(12:34:56.5) = 500000000"};
  template <class T>
  FZ_HD static T apply(T value, T per_day) {
    const T per_second = per_day / 86400, part = modulo_down<T>(value, per_second);
    return per_second >= 1000000000 ? static_cast<T>(part / (per_second / 1000000000))
                                    : static_cast<T>(part * (1000000000 / per_second));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_time(types.arguments[0]) && types.result.id == TypeId::int32;
  }
  static Value emit(const Emit& emit) { return lower::part_of_moment(emit, Interval{0, 999999999}); }
#endif
};

}  // namespace frazil::functions
