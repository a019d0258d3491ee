#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct decimal_to_whole {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .failure = "conversion failed: a value does not fit the dtype",
                                     .invalid_operation = true,
                                     .doc = "A decimal without its fraction.",
                                     .example = "cast(-1.50, 0) = -1"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& to = types.result;
    const lower::CastMode mode = lower::cast_mode(types);
    return types.arguments[0].id == TypeId::decimal && to.is_integer() && to.id != TypeId::uint128 &&
           (mode == lower::CastMode::raise || mode == lower::CastMode::null);
  }
  static Value emit(const Emit& emit) {
    Value value = emit.values[0];
    if (emit.types[0].scale > 0) {
      Builder& builder = emit.builder;
      const int128 unit = lower::power_of_ten(emit.types[0].scale);
      std::optional<Interval> exact;
      if (value.interval) exact = Interval{value.interval->low / unit, value.interval->high / unit};
      const Type type = unit > INT64_MAX || value.type == Type::i128 ? Type::i128 : Type::i64;
      value = builder.map(emit.functions.id_of("quotient"), type, type,
                          {builder.convert(value, type), builder.convert(builder.whole(unit), type)}, exact);
    }
    return emit.builder.convert(lower::fit(emit, value, *lower::dtype_bounds(emit.result)),
                                lower::widest_type(emit.result));
  }
#endif
};

}  // namespace frazil::functions
