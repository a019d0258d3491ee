#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct real_to_decimal {
  static constexpr FunctionInfo info{
      .name = "cast",
      .polars = {"cast"},
      .arguments = 1,
      .payload = 1,
      .failure = "conversion failed: a value does not fit the dtype",
      .invalid_operation = true,
      .doc = "A float as a decimal: its product with a power of ten, rounded half to even.",
      .example = "cast(1.005, 0) = 1.00"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const TypeId from = types.arguments[0].id;
    const lower::CastMode mode = lower::cast_mode(types);
    return (from == TypeId::float32 || from == TypeId::float64) && types.result.id == TypeId::decimal &&
           (mode == lower::CastMode::raise || mode == lower::CastMode::null);
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const DataType real = columns::simple(TypeId::float64);
    const DataType reals[] = {real, real};
    const double beyond = static_cast<double>(lower::power_of_ten(emit.result.precision));
    Value value = lower::fit_real_below(emit, builder.convert(emit.values[0], Type::f64), beyond);
    const Value factors[] = {value, builder.real(static_cast<double>(lower::power_of_ten(emit.result.scale)))};
    value = lower::apply(emit, "multiply", reals, factors, real);
    value = builder.map(emit.functions.id_of("round_to"), Type::f64, Type::f64,
                        {value, builder.real(1), builder.real(static_cast<int>(Rounding::half_to_even))}, std::nullopt);
    Value whole = builder.convert(value, Type::i128);
    whole.interval = Interval{-lower::decimal_bounds().high - 1, lower::decimal_bounds().high + 1};
    return whole;
  }
#endif
};

}  // namespace frazil::functions
