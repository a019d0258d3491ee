#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct product {
  static constexpr FunctionInfo info{.name = "product",
                                     .polars = {"function.product"},
                                     .shape = Shape::segmented,
                                     .arguments = 1,
                                     .doc = "Product of the values that are not null; 1 for none. Whole numbers wrap.",
                                     .example = "product([2, 3]) = 6"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    return (lower::is_number(from) || from.id == TypeId::boolean) && lower::is_number(to);
  }
  static columns::Column segments(const SegmentedCall& call) {
    switch (call.result.id) {
      case TypeId::float32: return products<float>(call);
      case TypeId::float64: return products<double>(call);
      case TypeId::int128: return products<int128>(call);
      default: return products<int64>(call);  // of unsigned numbers, too: the same bits
    }
  }
  template <class T>
  static columns::Column products(const SegmentedCall& call) {
    using U = typename Unsigned<T>::U;
    const lower::Numbers<T> numbers(call);
    columns::Column made = lower::plain_column(call.result, call.segments, call.pool);
    for (size_t s = 0; s + 1 < call.start.size(); ++s) {
      U product = 1;
      numbers.each(s, [&](T value) { product *= static_cast<U>(value); });
      made.values.mutable_as<T>()[s] = static_cast<T>(product);
    }
    return made;
  }
#endif
};

}  // namespace frazil::functions
