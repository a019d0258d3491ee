#include "lower/moments.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/rounding.hpp"
#include "lower/numbers.hpp"

namespace frazil::lower {

using columns::TimeUnit;
using columns::TypeId;

namespace {

constexpr int64_t kDay = 86'400'000'000'000;  // nanoseconds
constexpr int64_t kLargest = 1'000'000'000;   // number of a period that is looked at

int64_t nanoseconds_of_tick(const DataType& type) { return kDay / ticks_of_day(type); }

// The part of a period that one unit gives.
bool add_unit(Period& period, std::string_view unit, int64_t count) {
  if (unit == "ns") return period.nanoseconds += count, true;
  if (unit == "us") return period.nanoseconds += count * 1000, true;
  if (unit == "ms") return period.nanoseconds += count * 1'000'000, true;
  if (unit == "s") return period.nanoseconds += count * 1'000'000'000, true;
  if (unit == "m") return period.nanoseconds += count * (kDay / 1440), count < kLargest / 10;
  if (unit == "h") return period.nanoseconds += count * (kDay / 24), count < kLargest / 1000;
  if (unit == "d") return period.days += count, count < kLargest / 10'000;
  if (unit == "w") return period.weeks += count, count < kLargest / 100'000;
  if (unit == "mo") return period.months += count, count < kLargest / 10'000;
  if (unit == "q") return period.months += 3 * count, count < kLargest / 10'000;
  if (unit == "y") return period.months += 12 * count, count < kLargest / 100'000;
  return false;
}

}  // namespace

DataType datetime(TimeUnit unit, std::string zone) {
  DataType type = columns::simple(TypeId::datetime);
  type.unit = unit;
  type.zone = std::move(zone);
  return type;
}
DataType duration(TimeUnit unit) {
  DataType type = columns::simple(TypeId::duration);
  type.unit = unit;
  return type;
}

std::optional<TimeUnit> unit_of(const plan::Option& option) {
  const std::string* unit = option.as<std::string>();
  if (unit && *unit == "ms") return TimeUnit::milliseconds;
  if (unit && *unit == "us") return TimeUnit::microseconds;
  return unit && *unit == "ns" ? std::optional(TimeUnit::nanoseconds) : std::nullopt;
}

std::optional<Period> period_of(std::string_view text) {
  Period period;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    period.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 9) return std::nullopt;
    const int64_t count = std::stoll(std::string(text.substr(0, digits)));
    text.remove_prefix(digits);
    const size_t letters = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), text.size());
    if (!add_unit(period, text.substr(0, letters), count)) return std::nullopt;
    text.remove_prefix(letters);
  }
  return period;
}

std::optional<Period> literal_period(const CallTypes& types, size_t argument) {
  if (argument >= types.expressions.size()) return std::nullopt;
  const plan::Expression& literal = *types.expressions[argument];
  const std::string* text =
      literal.kind == plan::Expression::Kind::literal ? std::get_if<std::string>(&literal.scalar) : nullptr;
  return text ? period_of(*text) : std::nullopt;
}

Value as_moment(const Emit& emit, size_t argument, const DataType& type) {
  const DataType& from = emit.types[argument];
  if (from == type) return emit.values[argument];
  return apply(emit, "cast", {&from, 1}, {&emit.values[argument], 1}, type, {plan::Option{int64_t{1}}});
}

namespace {

bool is_moment(const DataType& type) { return type.id == TypeId::date || type.id == TypeId::datetime; }

// Casts between units are known of datetimes without a zone.
bool in_unit(const DataType& type, TimeUnit unit) {
  return type.id == TypeId::date || type.unit == unit || type.id == TypeId::duration || type.zone.empty();
}

// The dtypes in which both sides are added.
struct Sides {
  DataType a, b, sum;
};

DataType like_moment(const DataType& type, TimeUnit unit) {
  return datetime(unit, type.id == TypeId::datetime ? type.zone : "");
}

std::optional<Sides> sides_of(const CallTypes& types, bool subtract) {
  const DataType &a = types.arguments[0], &b = types.arguments[1], &to = types.result;
  const bool a_lasts = a.id == TypeId::duration, b_lasts = b.id == TypeId::duration;
  if (to.id == TypeId::time || (!a_lasts && !is_moment(a)) || (!b_lasts && !is_moment(b))) return std::nullopt;
  const TimeUnit unit = to.id == TypeId::date ? (a_lasts ? a.unit : b.unit) : to.unit;
  if (!in_unit(a, unit) || !in_unit(b, unit)) return std::nullopt;
  const DataType lasting = duration(unit);
  if (a_lasts && b_lasts) return to == lasting ? std::optional(Sides{lasting, lasting, lasting}) : std::nullopt;
  if (b_lasts && is_moment(to) && to.id == a.id) return Sides{like_moment(a, unit), lasting, like_moment(a, unit)};
  if (subtract) {
    const bool between = !a_lasts && !b_lasts && to == lasting && (a.id != b.id || a.zone == b.zone);
    return between ? std::optional(Sides{like_moment(a, unit), like_moment(b, unit), lasting}) : std::nullopt;
  }
  if (a_lasts && is_moment(to) && to.id == b.id) return Sides{lasting, like_moment(b, unit), like_moment(b, unit)};
  return std::nullopt;
}

}  // namespace

bool moments_add(const CallTypes& types, bool subtract) { return sides_of(types, subtract).has_value(); }

Value sum_of_moments(const Emit& emit, bool subtract) {
  const Sides sides = *sides_of({emit.types, emit.result, emit.payload}, subtract);
  const DataType whole = columns::simple(TypeId::int64);
  const DataType wholes[] = {whole, whole};
  const Value values[] = {as_moment(emit, 0, sides.a), as_moment(emit, 1, sides.b)};
  const Value sum = apply(emit, subtract ? "subtract" : "add", wholes, values, whole);
  if (sides.sum == emit.result) return sum;
  return apply(emit, "cast", {&sides.sum, 1}, {&sum, 1}, emit.result, {plan::Option{int64_t{1}}});
}

namespace {

Value whole_of_64_bits(const Emit& emit, const char* function, const Value& value, const Value& literal) {
  const DataType whole = columns::simple(TypeId::int64);
  const DataType wholes[] = {whole, whole};
  const Value values[] = {value, literal};
  return apply(emit, function, wholes, values, whole);
}

}  // namespace

Value plus_literal(const Emit& emit, const Value& value, int64_t literal) {
  return literal == 0 ? value : whole_of_64_bits(emit, "add", value, emit.builder.whole(literal));
}
Value times_literal(const Emit& emit, const Value& value, int64_t literal) {
  return literal == 1 ? value : whole_of_64_bits(emit, "multiply", value, emit.builder.whole(literal));
}

Value by_literal(const Emit& emit, const char* function, const Value& value, int64_t literal) {
  if (literal == 1) return value;
  Builder& builder = emit.builder;
  std::optional<Interval> exact;
  if (value.interval) exact = Interval{value.interval->low / literal - 1, value.interval->high / literal};
  return builder.map(emit.functions.id_of(function), Type::i64, Type::i64,
                     {builder.convert(value, Type::i64), builder.convert(builder.whole(literal), Type::i64)}, exact);
}

DayAndTicks split_moment(const Emit& emit, const Value& moment, const DataType& type) {
  const int64_t per_day = ticks_of_day(type);
  if (per_day == 1) return {moment, emit.builder.whole(0)};
  const Value day = by_literal(emit, "floor_quotient", moment, per_day);
  return {day, whole_of_64_bits(emit, "subtract", moment, times_literal(emit, day, per_day))};
}

Value join_moment(const Emit& emit, const DayAndTicks& parts, const DataType& type) {
  const Value whole = times_literal(emit, parts.day, ticks_of_day(type));
  if (type.id == TypeId::date) return whole;
  return whole_of_64_bits(emit, "add", whole, parts.ticks);
}

namespace {

Value on_days(const Emit& emit, const char* function, const Value& day, int64_t months) {
  Builder& builder = emit.builder;
  return builder.map(emit.functions.id_of(function), Type::i64, Type::i64,
                     {builder.convert(day, Type::i64), builder.convert(builder.whole(months), Type::i64)},
                     std::nullopt);
}

// Days of a date have 32 bits.
Value as_days(const Emit& emit, Value day) {
  if (emit.result.id != TypeId::date || day.type == Type::i32) return day;
  return wrap_to(emit.builder, day, emit.result);
}

}  // namespace

Value begin_of_months(const Emit& emit, const Value& day, int64_t months) {
  return on_days(emit, "begin_of_months", day, months);
}
Value shift_months(const Emit& emit, const Value& day, int64_t months) {
  return months == 0 ? day : on_days(emit, "shift_months", day, months);
}

bool truncates(const CallTypes& types) {
  const DataType& type = types.arguments[0];
  const std::optional<Period> every = literal_period(types, 1);
  if (!has_date(type) || type != types.result || !every || every->negative) return false;
  const int kinds = (every->months > 0) + (every->weeks > 0) + (every->days > 0) + (every->nanoseconds > 0);
  if (kinds != 1) return false;
  // Parts of a day cut nothing from a date, if they fill it.
  if (type.id == TypeId::date) return every->nanoseconds == 0 || kDay % every->nanoseconds == 0;
  return every->nanoseconds % nanoseconds_of_tick(type) == 0;
}

Value truncate_moment(const Emit& emit) {
  const Period every = *literal_period({emit.types, emit.result, emit.payload, emit.expressions}, 1);
  const DataType& type = emit.types[0];
  Builder& builder = emit.builder;
  if (every.months > 0) {
    const Value day = begin_of_months(emit, split_moment(emit, emit.values[0], type).day, every.months);
    return as_days(emit, times_literal(emit, day, ticks_of_day(type)));
  }
  const int64_t per_day = ticks_of_day(type);
  if (type.id == TypeId::date && every.nanoseconds > 0) return emit.values[0];
  const int64_t unit =
      every.nanoseconds > 0 ? every.nanoseconds / nanoseconds_of_tick(type) : (every.days + 7 * every.weeks) * per_day;
  const int64_t monday = every.weeks > 0 ? 4 * per_day : 0;  // the first one after 1970-01-01
  const Value from = plus_literal(emit, emit.values[0], -monday);
  const Value begun = builder.map(emit.functions.id_of("round_to"), Type::i64, Type::i64,
                                  {builder.convert(from, Type::i64), builder.convert(builder.whole(unit), Type::i64),
                                   builder.convert(builder.whole(static_cast<int>(Rounding::down)), Type::i64)},
                                  std::nullopt);
  return as_days(emit, plus_literal(emit, begun, monday));
}

bool offsets(const CallTypes& types) {
  return has_date(types.arguments[0]) && types.arguments[0] == types.result && literal_period(types, 1);
}

Value offset_moment(const Emit& emit) {
  const Period by = *literal_period({emit.types, emit.result, emit.payload, emit.expressions}, 1);
  const int sign = by.negative ? -1 : 1;
  DataType type = emit.types[0];
  Value moment = emit.values[0];
  // Of dates Polars makes datetimes first, of which parts of a day are cut off.
  if (type.id == TypeId::date && by.nanoseconds % kDay != 0) {
    type = datetime(TimeUnit::microseconds);
    moment = as_moment(emit, 0, type);
  }
  if (by.months > 0) {
    DayAndTicks parts = split_moment(emit, moment, type);
    parts.day = shift_months(emit, parts.day, sign * by.months);
    moment = join_moment(emit, parts, type);
  }
  const int64_t days = by.days + 7 * by.weeks;
  const int64_t ticks = type.id == TypeId::date
                            ? days + by.nanoseconds / kDay
                            : days * ticks_of_day(type) + by.nanoseconds / nanoseconds_of_tick(type);
  moment = plus_literal(emit, moment, sign * ticks);
  if (type == emit.result) return as_days(emit, moment);
  return apply(emit, "cast", {&type, 1}, {&moment, 1}, emit.result, {plan::Option{int64_t{1}}});
}

bool scales(const CallTypes& types) {
  const bool first = types.arguments[0].id == TypeId::duration;
  const DataType& number = types.arguments[first];
  return types.arguments[!first] == types.result && types.result.id == TypeId::duration &&
         (number.id == TypeId::float64 || number.id == TypeId::float32 || fits_64_bits(number));
}

Value scaled_duration(const Emit& emit, const char* of_wholes, const char* of_reals) {
  const bool first = emit.types[0].id == TypeId::duration;
  const DataType& number = emit.types[first];
  const bool is_real = number.is_float();
  const DataType side = is_real ? number : columns::simple(TypeId::int64);
  const DataType sides[] = {side, side};
  if (!is_real) return apply(emit, of_wholes, sides, emit.values, side);
  const Type type = widest_type(side);
  const Value values[] = {emit.builder.convert(emit.values[0], type), emit.builder.convert(emit.values[1], type)};
  const Value real = apply(emit, of_reals, sides, values, side);
  return apply(emit, "cast", {&side, 1}, {&real, 1}, columns::simple(TypeId::int64), {plan::Option{int64_t{1}}});
}

bool totals(const CallTypes& types) {
  const bool* fractional = types.payload[0].as<bool>();
  return types.arguments[0].id == TypeId::duration && fractional &&
         types.result.id == (*fractional ? TypeId::float64 : TypeId::int64);
}

Value total_of_duration(const Emit& emit, int64_t nanoseconds) {
  Builder& builder = emit.builder;
  const int64_t tick = nanoseconds_of_tick(emit.types[0]);
  const Value& value = emit.values[0];
  if (!*emit.payload[0].as<bool>()) {
    return nanoseconds < tick ? times_literal(emit, value, tick / nanoseconds)
                              : by_literal(emit, "quotient", value, nanoseconds / tick);
  }
  const DataType real = columns::simple(TypeId::float64);
  const DataType reals[] = {real, real};
  const Value values[] = {builder.convert(value, Type::f64),
                          builder.real(static_cast<double>(nanoseconds) / static_cast<double>(tick))};
  return apply(emit, "divide", reals, values, real);
}

}  // namespace frazil::lower
