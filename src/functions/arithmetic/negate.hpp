#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct negate {
  static constexpr FunctionInfo info{.name = "negate",
                                     .polars = {"function.negate"},
                                     .arguments = 1,
                                     .kernels = kWholes | kFloats,
                                     .doc = "A number with the other sign. Whole numbers wrap as their dtype does.",
                                     .example = "negate(1) = -1"};
  template <class T>
  FZ_HD static T apply(T a) {
    if constexpr (kSame<T, float> || kSame<T, double>) return -a;
    using U = typename Unsigned<T>::U;
    return static_cast<T>(U(0) - static_cast<U>(a));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& type = types.arguments[0];
    return type == types.result &&
           ((lower::is_number(type) && type.id != TypeId::int128 && (type.is_float() || type.is_signed_integer())) ||
            type.id == TypeId::decimal || type.id == TypeId::duration);
  }
  static Value emit(const Emit& emit) {
    return lower::signed_result(emit, lower::subtract_intervals(emit.builder.whole(0), emit.values[0]));
  }
#endif
};

}  // namespace frazil::functions
