#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct moment_to_moment {
  static constexpr FunctionInfo info{
      .name = "cast",
      .polars = {"cast"},
      .arguments = 1,
      .payload = 1,
      .failure = "conversion failed: a value does not fit the dtype",
      .invalid_operation = true,
      .doc = "A date, datetime or duration in another unit; datetimes round down, durations towards zero.",
      .example = "cast(2024-02-29, 0) = 2024-02-29 00:00:00"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    const bool zoned = from.id == TypeId::datetime && to.id == TypeId::datetime && from.zone != to.zone;
    return (lower::has_date(from) && lower::has_date(to) && !zoned &&
            lower::cast_mode(types) != lower::CastMode::unknown && (from.zone.empty() && to.zone.empty())) ||
           (from.id == TypeId::duration && to.id == TypeId::duration);
  }
  static Value emit(const Emit& emit) {
    const int64_t from = lower::ticks_of_day(emit.types[0]), to = lower::ticks_of_day(emit.result);
    const Value& value = emit.values[0];
    const Type type = lower::widest_type(emit.result);
    Builder& builder = emit.builder;
    if (from == to) return value;
    if (to > from) {
      const Interval bounds{-(INT64_MAX / (to / from)), INT64_MAX / (to / from)};
      const bool date = emit.types[0].id == TypeId::date;  // others become null where they do not fit
      const Value ticks =
          builder.convert(date ? lower::fit(emit, value, bounds) : lower::fit_or_null(emit, value, bounds), Type::i64);
      const Value factor = builder.convert(builder.whole(to / from), Type::i64);
      const DataType types[] = {columns::simple(TypeId::int64), columns::simple(TypeId::int64)};
      const plan::Options none;
      const std::optional<uint16> multiply = emit.functions.find("multiply", {types, types[0], none});
      FZ_CHECK(multiply);
      return builder.map(*multiply, Type::i64, Type::i64, {ticks, factor}, lower::multiply_intervals(ticks, factor));
    }
    const char* divide = emit.types[0].id == TypeId::duration ? "quotient" : "floor_quotient";
    const int128 unit = from / to;
    std::optional<Interval> exact;
    if (value.interval) exact = Interval{value.interval->low / unit - 1, value.interval->high / unit};
    const Value quotient =
        builder.map(emit.functions.id_of(divide), Type::i64, Type::i64,
                    {builder.convert(value, Type::i64), builder.convert(builder.whole(unit), Type::i64)}, exact);
    return type == Type::i32 ? builder.convert(lower::fit(emit, quotient, *lower::dtype_bounds(emit.result)), type)
                             : quotient;
  }
#endif
};

}  // namespace frazil::functions
