#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct divide_decimal {
  static constexpr FunctionInfo info{
      .name = "divide",
      .polars = {"operator.TrueDivide"},
      .arguments = 2,
      .parameters = 1,
      .kernels = plan::set_of(Type::i64) | plan::set_of(Type::i128),
      .may_fail = true,
      .failure = "decimal division failed: by zero, or the result needs more than 38 digits",
      .doc = "Quotient of decimals at the larger scale, rounded half to even.",
      .example = "divide(1.00, 3) = 0.33"};
  // `unit` is ten to the power of the scale.
  template <class T>
  FZ_HD static T apply(T a, T b, T unit, bool& bad) {
    bad = b == 0;
    if (bad) return 0;
    const T divisor = b < 0 ? -b : b, dividend = b < 0 ? -a : a;
    T product;
    if (multiply_overflows(dividend, unit, product)) {
      if constexpr (sizeof(T) == 16) return round_wide_product(dividend, unit, divisor, bad);
    }
    using U = typename Unsigned<T>::U;
    const T quotient = product / divisor, rest = product - quotient * divisor;
    const U twice = static_cast<U>(rest < 0 ? -rest : rest) * 2;
    const bool away = twice > static_cast<U>(divisor) || (twice == static_cast<U>(divisor) && (quotient & 1));
    const T rounded = away ? quotient + (product < 0 ? -1 : 1) : quotient;
    bad = exceeds_decimal(rounded);
    return rounded;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::decimal && types.arguments[1].id == TypeId::decimal &&
           types.result.id == TypeId::decimal;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const int scale = emit.result.scale;
    const Value a = lower::rescale_up(emit, emit.values[0], emit.types[0].scale, scale);
    const Value b = lower::rescale_up(emit, emit.values[1], emit.types[1].scale, scale);
    const Value unit = builder.whole(lower::power_of_ten(scale));
    // No quotient is larger than the dividend at twice the scale.
    const std::optional<Interval> product = lower::multiply_intervals(a, unit);
    std::optional<Interval> exact;
    if (product) {
      const int128 most = std::max(product->high, -product->low) + 1;
      exact = Interval{-most, most};
    }
    const Type type = lower::decimal_type(std::vector<Value>{a, b, unit}, exact) == Type::i128 ? Type::i128 : Type::i64;
    return builder.map_checked(emit.id, type,
                               {builder.convert(a, type), builder.convert(b, type), builder.convert(unit, type)}, exact,
                               emit.id);
  }
#endif
};

}  // namespace frazil::functions
