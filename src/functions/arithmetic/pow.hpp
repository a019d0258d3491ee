#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct pow {
  static constexpr FunctionInfo info{.name = "pow",
                                     .polars = {"function.pow"},
                                     .arguments = 2,
                                     .doc =
                                         "A number to the power of a literal that multiplications make: a small "
                                         "whole number, or 0.5 of floats. Whole numbers wrap as their dtype does.",
                                     .example = "pow(3, 2) = 9"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const std::optional<double> power = exponent(types.expressions);
    const DataType &base = types.arguments[0], &to = types.result;
    if (!power || !lower::is_number(base) || !lower::is_number(to)) return false;
    if (!to.is_integer()) {  // Polars computes others by other means
      return (*power == 0.5 || (is_whole(*power) && *power < 10)) && (to == base || base.is_integer());
    }
    return to == base && types.arguments[1].is_integer() && is_whole(*power) && *power <= kMost;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const double power = *exponent(emit.expressions);
    const Type type = lower::widest_type(emit.result);
    const Value base = emit.result.is_integer() ? emit.values[0] : builder.convert(emit.values[0], type);
    if (power == 0.5) return builder.map(emit.functions.id_of("sqrt"), type, type, {base}, std::nullopt);
    if (power == 0) {
      Value one = program::is_float(type) ? builder.real(1, type) : builder.whole(1);
      one.valid = base.valid;
      return one;
    }
    const DataType both[] = {emit.result, emit.result};
    Value product = base;
    for (int k = 1; k < power; ++k) {
      const Value factors[] = {product, base};
      product = lower::apply(emit, "multiply", both, factors, emit.result);
    }
    return product;
  }
  static std::optional<double> exponent(std::span<const plan::ExpressionPtr> arguments) {
    if (arguments.size() < 2 || arguments[1]->kind != plan::Expression::Kind::literal) return std::nullopt;
    if (const double* real = std::get_if<double>(&arguments[1]->scalar)) return *real;
    const int128* whole = std::get_if<int128>(&arguments[1]->scalar);
    return whole && arguments[1]->type.is_integer() ? std::optional(static_cast<double>(*whole)) : std::nullopt;
  }
  static bool is_whole(double power) { return power >= 0 && power <= kMost && static_cast<int>(power) == power; }
  static constexpr int kMost = 16;
#endif
};

}  // namespace frazil::functions
