#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct fused {
  static constexpr FunctionInfo info{
      .name = "fused",
      .polars = {"function.fused"},
      .arguments = 3,
      .payload = 1,
      .doc = "Product and sum of three floats, rounded after each: ab + c, a - bc or ab - c, as the option says.",
      .example = "fused(2.0, 3.0, 1.0, \"fma\") = 7.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const std::string* which = types.payload[0].as<std::string>();
    return which && (*which == "fma" || *which == "fsm" || *which == "fms") &&
           (types.result.id == TypeId::float32 || types.result.id == TypeId::float64) &&
           std::all_of(types.arguments.begin(), types.arguments.end(),
                       [&](const DataType& type) { return type == types.result; });
  }
  static Value emit(const Emit& emit) {
    const std::string& which = *emit.payload[0].as<std::string>();
    const bool last = which == "fsm";  // the product is of the last two
    const Value product =
        lower::apply(emit, "multiply", emit.types.first(2), emit.values.subspan(last, 2), emit.result);
    const Value parts[] = {last ? emit.values[0] : product, last ? product : emit.values[2]};
    return lower::apply(emit, which == "fma" ? "add" : "subtract", emit.types.first(2), parts, emit.result);
  }
#endif
};

}  // namespace frazil::functions
