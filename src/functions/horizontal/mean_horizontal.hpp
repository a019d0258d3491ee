#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct mean_horizontal {
  static constexpr FunctionInfo info{
      .name = "mean_horizontal",
      .polars = {"function.mean_horizontal"},
      .arguments = -1,
      .payload = 1,
      .doc = "Mean of the values of a row that are not null; or null where one is, as the option says.",
      .example = "mean_horizontal(1, 2, true) = 1.5"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    if (types.arguments.empty()) return false;
    const DataType& type = types.arguments[0];
    return types.result.id == (type.id == TypeId::float32 ? type.id : TypeId::float64) &&
           lower::have_sum({types.arguments, dtype_of_sum(type), types.payload});
  }
  static DataType dtype_of_sum(const DataType& type) {
    return type.id == TypeId::boolean ? columns::simple(TypeId::uint32) : type;
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    const Type type = lower::widest_type(emit.result);
    const Value sum = lower::sum_of_row(
        {builder, emit.functions, emit.id, emit.types, dtype_of_sum(emit.types[0]), emit.payload, emit.values},
        *emit.payload[0].as<bool>());
    const Value count = counted(emit);
    Value mean = builder.map(emit.functions.id_of("divide"), type, type,
                             {builder.convert(sum, type), builder.convert(count, type)}, std::nullopt);
    mean.valid = builder.mask_and(mean.valid, builder.range(count, 1, INT64_MAX).operand);
    return mean;
  }
  // How many values of a row are not null.
  static Value counted(const Emit& emit) {
    Builder& builder = emit.builder;
    const DataType count = columns::simple(TypeId::uint32);
    std::vector<Value> valid;
    for (const Value& value : emit.values) valid.push_back(builder.mask_value(value.valid, program::kAll));
    return lower::sum_of_row({builder, emit.functions, emit.id, emit.types, count, emit.payload, valid}, true);
  }
#endif
};

}  // namespace frazil::functions
