#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct whole_to_whole {
  static constexpr FunctionInfo info{
      .name = "cast",
      .polars = {"cast"},
      .arguments = 1,
      .payload = 1,
      .failure = "conversion failed: a value does not fit the dtype",
      .invalid_operation = true,
      .doc = "A whole number, or the days or ticks of a date or time, in a dtype that may not hold it.",
      .example = "cast(300, 1) = null"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::cast_mode(types) != lower::CastMode::unknown && is_counted(types.arguments[0]) &&
           is_counted(types.result) && (types.arguments[0].is_integer() || types.result.is_integer());
  }
  // Datetimes with a zone are left out: their dtype says what the ticks mean.
  static bool is_counted(const DataType& type) {
    if (type.is_integer()) return type.id != TypeId::uint128;
    return type.id == TypeId::time || type.id == TypeId::duration || lower::has_date(type);
  }
  static Value emit(const Emit& emit) {
    const Interval bounds = *lower::dtype_bounds(emit.result);
    if (lower::cast_mode(emit) == lower::CastMode::wrap)
      return lower::wrap_to(emit.builder, emit.values[0], emit.result);
    return emit.builder.convert(lower::fit(emit, emit.values[0], bounds), lower::widest_type(emit.result));
  }
#endif
};

}  // namespace frazil::functions
