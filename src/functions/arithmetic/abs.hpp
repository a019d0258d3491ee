#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct abs {
  static constexpr FunctionInfo info{.name = "abs",
                                     .polars = {"function.abs"},
                                     .arguments = 1,
                                     .kernels = kWholes | kFloats,
                                     .doc = "A number without its sign. Whole numbers wrap as their dtype does.",
                                     .example = "abs(-1) = 1"};
  template <class T>
  FZ_HD static T apply(T a) {
    if constexpr (kSame<T, float> || kSame<T, double>) {
      return a < 0 ? -a : a == 0 ? T(0) : a;
    } else {
      using U = typename Unsigned<T>::U;
      return a < 0 ? static_cast<T>(U(0) - static_cast<U>(a)) : a;
    }
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& type = types.arguments[0];
    return type == types.result &&
           (lower::is_number(type) || type.id == TypeId::decimal || type.id == TypeId::duration);
  }
  static Value emit(const Emit& emit) {
    const Value& value = emit.values[0];
    std::optional<Interval> interval = lower::subtract_intervals(emit.builder.whole(0), value);
    if (interval) {
      const int128 low = std::max<int128>({value.interval->low, interval->low, 0});
      interval = Interval{low, std::max({value.interval->high, interval->high, low})};
    }
    return lower::signed_result(emit, interval);
  }
#endif
};

}  // namespace frazil::functions
