#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// Polars rounds each product back to the larger scale of its factors, half to even.
struct multiply_decimal {
  static constexpr FunctionInfo info{.name = "multiply",
                                     .polars = {"operator.Multiply"},
                                     .arguments = 2,
                                     .parameters = 1,
                                     .usual_parameter = 100,
                                     .kernels = kSignedWholes,
                                     .may_fail = true,
                                     .failure = "overflow in decimal multiplication: it needs more than 38 digits",
                                     .doc = "Product of decimals, rounded half to even to the larger scale.",
                                     .example = "multiply(0.15, 0.50) = 0.08"};
  // `unit` is ten to the power of the digits to drop: 100 for money.
  template <class T>
  FZ_HD static T apply(T a, T b, T unit, bool& bad) {
    T product = 0;
    if constexpr (sizeof(T) == 16) {
      bad = false;
      if (multiply_overflows(a, b, product)) return round_wide_product(a, b, unit, bad);
    } else {
      bad = false;  // narrow types are only chosen where the product is known to fit
      product = a * b;
    }
    const T quotient = product / unit, rest = product - quotient * unit;
    const T twice = rest < 0 ? -2 * rest : 2 * rest;
    const T away = twice + (quotient & 1) > unit ? (product < 0 ? -1 : 1) : 0;  // from a tie only if it is odd
    bad |= exceeds_decimal<T>(quotient + away);
    return quotient + away;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.arguments[0].id == TypeId::decimal && types.arguments[1].id == TypeId::decimal &&
           types.result.id == TypeId::decimal;
  }
  static Value emit(const Emit& emit) {
    const Value &a = emit.values[0], &b = emit.values[1];
    const int dropped = emit.types[0].scale + emit.types[1].scale - emit.result.scale;
    FZ_CHECK(dropped >= 0);
    std::optional<Interval> product = lower::multiply_intervals(a, b);
    const Value unit = emit.builder.whole(lower::power_of_ten(dropped));
    if (!product) return lower::checked_decimal(emit, {a, b, unit}, std::nullopt);
    // Twice the rest is below twice the unit, and products of neighbouring numbers round towards each other.
    const Interval widest{std::min(product->low, -2 * unit.interval->low),
                          std::max(product->high, 2 * unit.interval->low)};
    const int128 step = unit.interval->low;
    const Interval rounded{product->low / step - 1, product->high / step + 1};
    const Interval exact = step == 1 ? *product : rounded;
    return lower::checked_decimal(emit, {a, b, unit}, widest, exact);
  }
#endif
};

}  // namespace frazil::functions
