#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct sign {
  static constexpr FunctionInfo info{
      .name = "sign",
      .polars = {"function.sign"},
      .arguments = 1,
      .parameters = 1,
      .kernels = kWholes | kFloats,
      .doc = "1, 0 or -1, as the number has a sign; zeros and NaN of floats as they are.",
      .example = "sign(-1.5) = -1.0"};
  template <class T>
  FZ_HD static T apply(T value, T one) {
    return value > 0 ? one : value < 0 ? static_cast<T>(0 - one) : value;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& type = types.arguments[0];
    return type == types.result && (lower::is_number(type) || type.id == TypeId::decimal);
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    Value value = emit.values[0];
    if (program::is_float(value.type)) {
      return builder.map(emit.id, value.type, value.type, {value, builder.real(1, value.type)}, std::nullopt);
    }
    const int128 one = lower::power_of_ten(emit.result.id == TypeId::decimal ? emit.result.scale : 0);
    const bool is_signed = value.type != Type::u64;
    if (one > INT32_MAX) value = builder.convert(value, one > INT64_MAX ? Type::i128 : Type::i64);
    if (one > INT64_MAX) value = builder.convert(value, Type::i128);
    return builder.map(emit.id, value.type, value.type, {value, builder.convert(builder.whole(one), value.type)},
                       Interval{is_signed ? -one : 0, one});
  }
#endif
};

}  // namespace frazil::functions
