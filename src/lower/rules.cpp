#include "lower/rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace frazil::lower {

using columns::TypeId;
using program::Element;
using program::is_float;
using program::is_whole;

namespace {

constexpr int128 kMost = static_cast<int128>(~static_cast<uint128>(0) >> 1);
constexpr int128 kLeast = -kMost - 1;
constexpr int128 two_to(int n) { return static_cast<int128>(1) << n; }

Element element_of_dtype(const DataType& type) {
  switch (type.id) {
    case TypeId::int8: return Element::i8;
    case TypeId::int16: return Element::i16;
    case TypeId::int32:
    case TypeId::date: return Element::i32;
    case TypeId::int64:
    case TypeId::time:
    case TypeId::datetime:
    case TypeId::duration: return Element::i64;
    case TypeId::uint8: return Element::u8;
    case TypeId::uint16: return Element::u16;
    case TypeId::uint32: return Element::u32;
    case TypeId::uint64: return Element::u64;
    default: return Element::i128;
  }
}

}  // namespace

Type widest_type(const DataType& type) {
  switch (type.id) {
    case TypeId::boolean: return Type::mask;
    case TypeId::int8:
    case TypeId::int16:
    case TypeId::int32:
    case TypeId::uint8:
    case TypeId::uint16:
    case TypeId::date: return Type::i32;
    case TypeId::uint32:
    case TypeId::int64:
    case TypeId::time:
    case TypeId::datetime:
    case TypeId::duration: return Type::i64;
    case TypeId::uint64: return Type::u64;
    case TypeId::int128:
    case TypeId::decimal: return Type::i128;
    case TypeId::float32: return Type::f32;
    case TypeId::float64: return Type::f64;
    case TypeId::string:
    case TypeId::binary: return Type::view;
    default: return Type::none;
  }
}

std::optional<Interval> dtype_bounds(const DataType& type) {
  switch (type.id) {
    case TypeId::int8: return Interval{-two_to(7), two_to(7) - 1};
    case TypeId::int16: return Interval{-two_to(15), two_to(15) - 1};
    case TypeId::int32:
    case TypeId::date: return Interval{-two_to(31), two_to(31) - 1};
    case TypeId::int64:
    case TypeId::time:
    case TypeId::datetime:
    case TypeId::duration: return Interval{-two_to(63), two_to(63) - 1};
    case TypeId::uint8: return Interval{0, two_to(8) - 1};
    case TypeId::uint16: return Interval{0, two_to(16) - 1};
    case TypeId::uint32: return Interval{0, two_to(32) - 1};
    case TypeId::uint64: return Interval{0, two_to(64) - 1};
    case TypeId::int128: return Interval{kLeast, kMost};
    case TypeId::decimal: return decimal_bounds();
    default: return std::nullopt;
  }
}

columns::Column plain_column(const DataType& type, int64_t rows, const memory::PoolPtr& pool) {
  columns::Column column{.type = type, .rows = rows, .physical = columns::plain_physical(type)};
  column.values = pool->allocate(rows * columns::bytes_per_row(column.physical), "segments");
  return column;
}

bool same_numbers(const DataType& a, const DataType& b) {
  if (a.id == TypeId::decimal && b.id == TypeId::decimal) return a.scale == b.scale;
  return a == b;
}

bool fits_64_bits(const DataType& type) {
  const std::optional<Interval> bounds = type.is_integer() ? dtype_bounds(type) : std::nullopt;
  return bounds && bounds->low >= INT64_MIN && bounds->high <= INT64_MAX;
}

bool is_number(const DataType& type) {
  return type.id == TypeId::float32 || type.id == TypeId::float64 || (type.is_integer() && type.id != TypeId::uint128);
}

std::optional<Interval> add_intervals(const Value& a, const Value& b) {
  if (!a.interval || !b.interval) return std::nullopt;
  Interval sum;
  if (__builtin_add_overflow(a.interval->low, b.interval->low, &sum.low) ||
      __builtin_add_overflow(a.interval->high, b.interval->high, &sum.high)) {
    return std::nullopt;
  }
  return sum;
}

std::optional<Interval> subtract_intervals(const Value& a, const Value& b) {
  if (!a.interval || !b.interval) return std::nullopt;
  Interval difference;
  if (__builtin_sub_overflow(a.interval->low, b.interval->high, &difference.low) ||
      __builtin_sub_overflow(a.interval->high, b.interval->low, &difference.high)) {
    return std::nullopt;
  }
  return difference;
}

std::optional<Interval> multiply_intervals(const Value& a, const Value& b) {
  if (!a.interval || !b.interval) return std::nullopt;
  int128 corner[4];
  if (__builtin_mul_overflow(a.interval->low, b.interval->low, &corner[0]) ||
      __builtin_mul_overflow(a.interval->low, b.interval->high, &corner[1]) ||
      __builtin_mul_overflow(a.interval->high, b.interval->low, &corner[2]) ||
      __builtin_mul_overflow(a.interval->high, b.interval->high, &corner[3])) {
    return std::nullopt;
  }
  return Interval{*std::min_element(corner, corner + 4), *std::max_element(corner, corner + 4)};
}

Value wrapping_arithmetic(const Emit& emit, std::optional<Interval> interval) {
  Builder& builder = emit.builder;
  const Type widest = widest_type(emit.result);
  if (is_float(widest)) {
    return builder.map(emit.id, widest, widest,
                       {builder.convert(emit.values[0], widest), builder.convert(emit.values[1], widest)},
                       std::nullopt);
  }
  // Two's complement: the low bits of the result come from the low bits of the arguments, so the dtype's own width is
  // always enough, and where the exact result is known to fit, so is the narrowest type that holds it and both sides.
  Type type = widest;
  std::optional<Interval> exact = interval;
  if (interval && emit.values[0].interval && emit.values[1].interval) {
    Interval all{std::min({interval->low, emit.values[0].interval->low, emit.values[1].interval->low}),
                 std::max({interval->high, emit.values[0].interval->high, emit.values[1].interval->high})};
    type = Builder::narrowest(all, widest);
  } else {
    exact.reset();
  }
  const std::optional<Interval> bounds = dtype_bounds(emit.result);
  Value result = builder.map(emit.id, type, type,
                             {builder.convert(emit.values[0], type), builder.convert(emit.values[1], type)}, exact);
  if (emit.result.id == TypeId::int128 || emit.result.id == TypeId::decimal) return result;
  return builder.wrap(result, element_of_dtype(emit.result), *bounds);
}

Pair to_common_type(Builder& builder, const Value& a, const Value& b) {
  Type type = a.type;
  if (a.type != b.type) {
    if (is_float(a.type) || is_float(b.type)) {
      type = a.type == Type::f64 || b.type == Type::f64 || is_whole(a.type) || is_whole(b.type) ? Type::f64 : Type::f32;
    } else {
      FZ_CHECK(is_whole(a.type) && is_whole(b.type));
      std::optional<Interval> both;
      if (a.interval && b.interval) {
        both = Interval{std::min(a.interval->low, b.interval->low), std::max(a.interval->high, b.interval->high)};
      }
      type = Builder::narrowest(both, Type::i128);
    }
  }
  return {builder.convert(a, type), builder.convert(b, type), type};
}

int128 power_of_ten(int exponent) {
  int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

Interval decimal_bounds() {
  const int128 most = power_of_ten(kDecimalDigits) - 1;
  return {-most, most};
}

Type decimal_type(std::span<const Value> values, const std::optional<Interval>& exact) {
  if (!exact) return Type::i128;
  Interval all = *exact;
  for (const Value& value : values) {
    if (!value.interval) return Type::i128;
    all = {std::min(all.low, value.interval->low), std::max(all.high, value.interval->high)};
  }
  return Builder::narrowest(all, Type::i128);
}

Value checked_decimal(const Emit& emit, std::vector<Value> arguments, const std::optional<Interval>& widest,
                      std::optional<Interval> exact, std::optional<uint16> raises) {
  if (!exact) exact = widest;
  const Type type = decimal_type(arguments, widest);
  for (Value& argument : arguments) argument = emit.builder.convert(argument, type);
  if (exact && exact->low >= decimal_bounds().low && exact->high <= decimal_bounds().high) {
    return emit.builder.map(emit.id, type, type, std::move(arguments), exact);
  }
  return emit.builder.map_checked(emit.id, type, std::move(arguments), decimal_bounds(), raises.value_or(emit.id));
}

namespace {

Emit step(const Emit& emit, const char* function) {
  return {emit.builder, emit.functions, emit.functions.id_of(function), emit.types, emit.result,
          emit.payload, emit.values};
}

// A literal is rescaled here and now.
std::optional<Value> rescaled_literal(Builder& builder, const Value& value, const Value& factor) {
  const std::optional<Interval> product = multiply_intervals(value, factor);
  if (!value.is_literal() || !product) return std::nullopt;
  Value literal = builder.whole(product->low);
  literal.valid = value.valid;
  return literal;
}

}  // namespace

Value rescale_up(const Emit& emit, const Value& value, int from_scale, int to_scale) {
  if (from_scale == to_scale) return value;
  const Value factor = emit.builder.whole(power_of_ten(to_scale - from_scale));
  if (auto literal = rescaled_literal(emit.builder, value, factor)) return *literal;
  return checked_decimal(step(emit, "rescale_up"), {value, factor}, multiply_intervals(value, factor), std::nullopt,
                         emit.id);
}

Value rescale_clamped(const Emit& emit, const Value& value, int from_scale, int to_scale) {
  if (from_scale == to_scale) return value;
  const Value factor = emit.builder.whole(power_of_ten(to_scale - from_scale));
  if (auto literal = rescaled_literal(emit.builder, value, factor)) return *literal;
  const std::optional<Interval> exact = multiply_intervals(value, factor);
  const Value both[] = {value, factor};
  const Type type = decimal_type(both, exact);
  return emit.builder.map(emit.functions.id_of("rescale_clamped"), type, type,
                          {emit.builder.convert(value, type), emit.builder.convert(factor, type)}, exact);
}

namespace {

// Whether a value may be rescaled by itself: it is known to fit then.
bool fits_at_scale(const Value& value, const Value& factor) {
  const std::optional<Interval> product = multiply_intervals(value, factor);
  if (!product) return false;
  return value.is_literal() || (product->low >= decimal_bounds().low && product->high <= decimal_bounds().high);
}

}  // namespace

Value sum_of_decimals(const Emit& emit, bool subtract) {
  Builder& builder = emit.builder;
  for (const size_t side : {0, 1}) {
    Value factor = builder.whole(power_of_ten(emit.result.scale - emit.types[side].scale));
    if (factor.interval->low == 1 || fits_at_scale(emit.values[side], factor)) continue;
    Value other = emit.values[1 - side];
    if (subtract && side == 1) factor = builder.whole(-factor.interval->low);
    if (subtract && side == 0) {
      const Value zero = builder.convert(builder.whole(0), Type::i128);
      other = builder.map(emit.id, Type::i128, Type::i128, {zero, builder.convert(other, Type::i128)}, std::nullopt);
    }
    return checked_decimal(step(emit, "multiply_add"), {emit.values[side], other, factor}, std::nullopt, std::nullopt,
                           emit.id);
  }
  const Value a = rescale_up(emit, emit.values[0], emit.types[0].scale, emit.result.scale);
  const Value b = rescale_up(emit, emit.values[1], emit.types[1].scale, emit.result.scale);
  return checked_decimal(emit, {a, b}, subtract ? subtract_intervals(a, b) : add_intervals(a, b));
}

namespace {

CastMode mode_of(const plan::Options& payload) {
  const int64_t* mode = payload.empty() ? nullptr : payload[0].as<int64_t>();
  if (!mode || *mode < 0 || *mode > 2) return CastMode::unknown;
  return static_cast<CastMode>(*mode);
}

// Bounds that a register can hold, where the value's own are not narrower.
Interval within_register(const Value& value, Interval bounds) {
  Interval type{kLeast, kMost};
  if (value.type == Type::i32) type = {-two_to(31), two_to(31) - 1};
  if (value.type == Type::i64) type = {-two_to(63), two_to(63) - 1};
  if (value.type == Type::u64) type = {0, two_to(64) - 1};
  return {std::max(bounds.low, type.low), std::min(bounds.high, type.high)};
}

Value typed_whole(Builder& builder, int128 value, Type type) { return builder.convert(builder.whole(value), type); }

}  // namespace

CastMode cast_mode(const CallTypes& types) { return mode_of(types.payload); }
CastMode cast_mode(const Emit& emit) { return mode_of(emit.payload); }

Value fit_or_null(const Emit& emit, const Value& value, Interval bounds) {
  if (value.interval && value.interval->low >= bounds.low && value.interval->high <= bounds.high) return value;
  Builder& builder = emit.builder;
  bounds = within_register(value, bounds);
  const uint16 less_equal = emit.functions.id_of("less_equal");
  auto at_most = [&](const Value& a, const Value& b) {
    return builder.map(less_equal, value.type, Type::mask, {a, b}, std::nullopt).operand;
  };
  Value kept = value;
  kept.valid =
      builder.mask_and(value.valid, builder.mask_and(at_most(typed_whole(builder, bounds.low, value.type), value),
                                                     at_most(value, typed_whole(builder, bounds.high, value.type))));
  kept.interval = bounds;
  return kept;
}

Value fit(const Emit& emit, const Value& value, Interval bounds) {
  if (value.interval && value.interval->low >= bounds.low && value.interval->high <= bounds.high) return value;
  if (cast_mode(emit) != CastMode::raise) return fit_or_null(emit, value, bounds);
  bounds = within_register(value, bounds);
  return emit.builder.map_checked(
      emit.functions.id_of("keep_between"), value.type,
      {value, typed_whole(emit.builder, bounds.low, value.type), typed_whole(emit.builder, bounds.high, value.type)},
      bounds, emit.id);
}

namespace {

// A float between two others; what is not raises or becomes null.
Value keep_real(const Emit& emit, const Value& value, double low, double high) {
  Builder& builder = emit.builder;
  if (cast_mode(emit) == CastMode::raise) {
    return builder.map_checked(emit.functions.id_of("keep_between"), value.type,
                               {value, builder.real(low, value.type), builder.real(high, value.type)}, std::nullopt,
                               emit.id);
  }
  const Value inside = builder.range_real(value, low, high);
  Value kept = builder.select({inside.operand, Type::mask, program::kAll, {}}, value, builder.real(0, value.type));
  kept.valid = builder.mask_and(value.valid, inside.operand);
  return kept;
}

}  // namespace

Value fit_real(const Emit& emit, const Value& value, const Interval& bounds) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // Beyond the last fraction of the bounds; where floats have none there, the bounds themselves.
  auto beyond = [&](int128 bound, int step, double towards) {
    const bool narrow = value.type == Type::f32;
    const double last = narrow ? static_cast<float>(bound) : static_cast<double>(bound);
    const double next = narrow ? static_cast<float>(bound + step) : static_cast<double>(bound + step);
    if (static_cast<int128>(last) == bound && next == last) return last;
    return narrow ? static_cast<double>(std::nextafterf(static_cast<float>(next), static_cast<float>(towards)))
                  : std::nextafter(next, towards);
  };
  const double low = beyond(bounds.low, -1, kInfinity), high = beyond(bounds.high, 1, -kInfinity);
  return keep_real(emit, value, low, high);
}

Value fit_real_below(const Emit& emit, const Value& value, double beyond) {
  const double most = std::nextafter(beyond, 0);
  return keep_real(emit, value, -most, most);
}

Value wrap_to(Builder& builder, const Value& value, const DataType& type) {
  const Interval bounds = *dtype_bounds(type);
  if (type.id == TypeId::int128) return builder.convert(value, Type::i128);
  return builder.convert(builder.wrap(value, element_of_dtype(type), bounds), widest_type(type));
}

Value round_decimal(const Emit& emit, const Value& value, int digits) {
  // The product with one, of which that many digits are too many.
  const DataType types[] = {emit.types[0], emit.types[0]};
  const plan::Options none;
  const std::optional<uint16> multiply = emit.functions.find("multiply", {types, emit.result, none});
  FZ_CHECK(multiply);
  const Value unit = emit.builder.whole(power_of_ten(digits)), one = emit.builder.whole(1);
  const int128 step = unit.interval->low;
  std::optional<Interval> rounded, widest;
  if (value.interval) {
    rounded = Interval{value.interval->low / step - 1, value.interval->high / step + 1};
    widest = Interval{std::min(value.interval->low, -2 * step), std::max(value.interval->high, 2 * step)};
  }
  std::vector<Value> arguments{value, one, unit};
  const Type type = decimal_type(arguments, widest);
  for (Value& argument : arguments) argument = emit.builder.convert(argument, type);
  return emit.builder.map(*multiply, type, type, std::move(arguments), rounded);
}

bool has_date(const DataType& type) {
  return type.id == TypeId::date || (type.id == TypeId::datetime && (type.zone.empty() || type.zone == "UTC"));
}

bool has_time(const DataType& type) {
  return type.id == TypeId::time || (type.id == TypeId::datetime && has_date(type));
}

int64_t ticks_of_day(const DataType& type) {
  constexpr int64_t kMilliseconds = 86'400'000;
  if (type.id == TypeId::date) return 1;
  if (type.id == TypeId::time || type.unit == columns::TimeUnit::nanoseconds) return kMilliseconds * 1'000'000;
  return type.unit == columns::TimeUnit::milliseconds ? kMilliseconds : kMilliseconds * 1000;
}

Value within_calendar(Builder& builder, Value moment, int128 ticks_of_day) {
  constexpr int128 kFirstDay = -96'465'292, kLastDay = 95'026'236;
  const Interval known{std::max<int128>(kFirstDay * ticks_of_day, INT64_MIN),
                       std::min<int128>((kLastDay + 1) * ticks_of_day - 1, INT64_MAX)};
  if (known.low == INT64_MIN && known.high == INT64_MAX) return moment;
  if (moment.interval && moment.interval->low >= known.low && moment.interval->high <= known.high) return moment;
  const Value inside = builder.range(moment, static_cast<int64>(known.low), static_cast<int64>(known.high));
  moment.valid = builder.mask_and(moment.valid, inside.operand);
  return moment;
}

Value part_of_moment(const Emit& emit, std::optional<Interval> bounds) {
  Builder& builder = emit.builder;
  Value moment = emit.values[0];
  if (has_date(emit.types[0])) moment = within_calendar(builder, moment, ticks_of_day(emit.types[0]));
  if (emit.types[0].id != TypeId::date) moment = builder.convert(moment, Type::i64);
  const Value ticks = builder.convert(builder.whole(ticks_of_day(emit.types[0])), moment.type);
  const Value part = builder.map(emit.id, moment.type, bounds ? moment.type : Type::mask, {moment, ticks}, bounds);
  return bounds ? builder.convert(part, Type::i32) : part;
}

Value first_valid(Builder& builder, const Value& first, const Value& second) {
  if (!first.valid) return first;
  Value yes = first, no = second;
  if (is_whole(yes.type)) {
    const Pair pair = to_common_type(builder, yes, no);
    yes = pair.a;
    no = pair.b;
  }
  const Value known{first.valid, Type::mask, program::kAll, std::nullopt};
  yes.valid = program::kAll;
  return builder.select(known, yes, no);
}

Value same_or_missing(const Emit& emit) {
  Builder& builder = emit.builder;
  const DataType types[] = {emit.types[0], emit.types[1]};
  const Value same =
      compare({builder, emit.functions, emit.functions.id_of("equal"), types, emit.result, emit.payload, emit.values},
              Comparison::equal);
  const program::Operand a = emit.values[0].valid, b = emit.values[1].valid;
  const program::Operand both = builder.mask_and(builder.mask_and(a, b), same.operand);
  if (!a || !b) return builder.mask_value(both, program::kAll);  // one of them is never null
  return builder.mask_value(builder.mask_or(both, builder.mask_not(builder.mask_or(a, b))), program::kAll);
}

Value signed_result(const Emit& emit, std::optional<Interval> interval) {
  Builder& builder = emit.builder;
  const Type widest = widest_type(emit.result);
  if (is_float(widest)) return builder.map(emit.id, widest, widest, {emit.values[0]}, std::nullopt);
  Type type = widest;
  const Value& value = emit.values[0];
  if (interval && value.interval) {
    type = Builder::narrowest(
        Interval{std::min(interval->low, value.interval->low), std::max(interval->high, value.interval->high)}, widest);
  } else {
    interval.reset();
  }
  const Value result = builder.map(emit.id, type, type, {builder.convert(value, type)}, interval);
  if (emit.result.id == TypeId::int128 || emit.result.id == TypeId::decimal) return result;
  return builder.wrap(result, element_of_dtype(emit.result), *dtype_bounds(emit.result));
}

Value kleene_and(Builder& builder, const Value& a, const Value& b) {
  Value result = builder.mask_value(builder.mask_and(a.operand, b.operand), a.valid);
  if (a.valid == b.valid) return result;
  // Known where both are known, or where one is known to be false.
  const program::Operand both = builder.mask_and(a.valid, b.valid);
  const program::Operand a_false = builder.mask_and_not(a.valid, a.operand);
  const program::Operand b_false = builder.mask_and_not(b.valid, b.operand);
  result.valid = builder.mask_or(both, builder.mask_or(a_false, b_false));
  return result;
}

Value kleene_or(Builder& builder, const Value& a, const Value& b) {
  if (a.valid == b.valid) return builder.mask_value(builder.mask_or(a.operand, b.operand), a.valid);
  const program::Operand a_true = builder.mask_and(a.valid, a.operand);
  const program::Operand b_true = builder.mask_and(b.valid, b.operand);
  const program::Operand any = builder.mask_or(a_true, b_true);
  return builder.mask_value(any, builder.mask_or(builder.mask_and(a.valid, b.valid), any));
}

bool all_boolean(const CallTypes& types) {
  return std::all_of(types.arguments.begin(), types.arguments.end(),
                     [](const DataType& type) { return type.id == TypeId::boolean; });
}

bool summable(const DataType& type) {
  return is_number(type) || type.id == TypeId::decimal || type.id == TypeId::boolean;
}

bool ordered(const DataType& type) {
  const Type widest = widest_type(type);
  return is_whole(widest) || is_float(widest);
}

// A decimal sum that is not proven to fit 128 bits comes with its magnitude as a float, which tells whether it wrapped:
// 128 bits hold 1.7e38, and the exact sum tells whether it has 38 digits.
Value finish_decimal_sum(const Emit& emit) {
  const Value& sum = emit.values[0];
  const Interval bounds = decimal_bounds();
  if (sum.type != Type::i128) return sum;
  Builder& builder = emit.builder;
  const Value limit = builder.real(1.6e38);
  const Value low = builder.real(-1.6e38);
  const uint16 less = emit.functions.id_of("less");
  const Value fits =
      kleene_and(builder, builder.map(less, Type::f64, Type::mask, {emit.values[1], limit}, std::nullopt),
                 builder.map(less, Type::f64, Type::mask, {low, emit.values[1]}, std::nullopt));
  const Value beyond = builder.convert(builder.whole(bounds.high + 1), Type::i128);
  const Value checked = builder.select(fits, sum, beyond);
  const DataType types[] = {emit.result, emit.result};
  const plan::Options none;
  Emit add = step(emit, "add");
  add.id = *emit.functions.find("add", {types, emit.result, none});
  return checked_decimal(add, {checked, builder.whole(0)}, std::nullopt, std::nullopt, emit.id);
}

Value finish_sum(const Emit& emit) {
  if (emit.types[0].id == TypeId::decimal) return finish_decimal_sum(emit);
  Value sum = emit.values[0];
  if (is_float(sum.type)) return emit.builder.convert(sum, widest_type(emit.result));
  if (emit.result.id == TypeId::int128) return sum;
  return emit.builder.wrap(sum, element_of_dtype(emit.result), *dtype_bounds(emit.result));
}

Value finish_mean(const Emit& emit) {
  Builder& builder = emit.builder;
  Value sum = builder.convert(emit.values[0], Type::f64);
  const Value count = builder.convert(emit.values[1], Type::f64);
  Value mean = builder.map(emit.functions.id_of("divide"), Type::f64, Type::f64, {sum, count}, std::nullopt);
  if (emit.types[0].id == TypeId::decimal && emit.types[0].scale > 0) {
    const Value unit = builder.real(1.0 / static_cast<double>(power_of_ten(emit.types[0].scale)));
    const DataType real = columns::simple(TypeId::float64);
    const DataType types[] = {real, real};
    const uint16 multiply = *emit.functions.find("multiply", {types, real, emit.payload});
    mean = builder.map(multiply, Type::f64, Type::f64, {mean, unit}, std::nullopt);
  }
  mean.valid = builder.mask_and(mean.valid, builder.range(emit.values[1], 1, INT64_MAX).operand);
  return mean;
}

Value finish_extreme(const Emit& emit) {
  Value extreme = emit.values[0];
  extreme.valid = emit.builder.mask_and(extreme.valid, emit.builder.range(emit.values[1], 1, INT64_MAX).operand);
  if (is_float(extreme.type)) extreme = emit.builder.convert(extreme, widest_type(emit.result));
  return extreme;
}

namespace {

// The next float of x's type in a direction.
double next_real(const Value& x, double value, double towards) {
  return x.type == Type::f32 ? std::nextafterf(static_cast<float>(value), static_cast<float>(towards))
                             : std::nextafter(value, towards);
}

// A comparison that NaN does not pass, as a range. NaN is above all numbers, so it passes the others.
std::optional<Value> real_range_test(Builder& builder, Comparison comparison, const Value& x, const Value& literal) {
  const std::optional<double> bound = builder.real_of(literal);
  if (!bound || std::isnan(*bound)) return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (comparison == Comparison::equal) return builder.range_real(x, *bound, *bound);
  if (comparison == Comparison::less_equal) return builder.range_real(x, -kInfinity, *bound);
  if (comparison != Comparison::less || *bound == -kInfinity) return std::nullopt;
  return builder.range_real(x, -kInfinity, next_real(x, *bound, -kInfinity));
}

// A comparison of x with a literal as an interval of x; nothing where x has no bounds of 64 bits.
std::optional<Value> range_test(const Emit& emit, Comparison comparison, const Value& x, const Value& literal) {
  if (is_float(x.type)) return real_range_test(emit.builder, comparison, x, literal);
  if (!is_whole(x.type) || (x.type != Type::i32 && x.type != Type::i64) || !literal.interval || !literal.is_literal() ||
      literal.valid) {
    return std::nullopt;
  }
  const int128 bound = literal.interval->low;
  int128 low = kLeast, high = kMost;
  switch (comparison) {
    case Comparison::equal: low = high = bound; break;
    case Comparison::not_equal: return std::nullopt;
    case Comparison::less: high = bound - 1; break;
    case Comparison::less_equal: high = bound; break;
    case Comparison::greater: low = bound + 1; break;
    case Comparison::greater_equal: low = bound; break;
  }
  if (low > high || (low > INT64_MAX) || (high < INT64_MIN)) {
    return emit.builder.mask_value(emit.builder.mask_literal(false), x.valid);
  }
  return emit.builder.range(x, static_cast<int64>(std::max<int128>(low, INT64_MIN)),
                            static_cast<int64>(std::min<int128>(high, INT64_MAX)));
}

Comparison mirrored(Comparison comparison) {
  switch (comparison) {
    case Comparison::less: return Comparison::greater;
    case Comparison::less_equal: return Comparison::greater_equal;
    case Comparison::greater: return Comparison::less;
    case Comparison::greater_equal: return Comparison::less_equal;
    default: return comparison;
  }
}

}  // namespace

std::optional<Value> real_between(Builder& builder, const Value& x, const Value& low, const Value& high, bool with_low,
                                  bool with_high) {
  std::optional<double> from = builder.real_of(low), to = builder.real_of(high);
  if (!is_float(x.type) || !from || !to || !std::isfinite(*from) || !std::isfinite(*to)) return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return builder.range_real(x, with_low ? *from : next_real(x, *from, kInfinity),
                            with_high ? *to : next_real(x, *to, -kInfinity));
}

bool comparable(const CallTypes& types) {
  const DataType& a = types.arguments[0];
  const DataType& b = types.arguments[1];
  if (a.id == TypeId::decimal && b.id == TypeId::decimal) return true;
  return a == b && widest_type(a) != Type::none && a.id != TypeId::uint128;
}

Value compare(const Emit& emit, Comparison comparison) {
  Value a = emit.values[0], b = emit.values[1];
  if (emit.types[0].id == TypeId::decimal) {
    const int scale = std::max(emit.types[0].scale, emit.types[1].scale);
    a = rescale_clamped(emit, a, emit.types[0].scale, scale);
    b = rescale_clamped(emit, b, emit.types[1].scale, scale);
  }
  if (a.type == Type::mask) {
    Builder& builder = emit.builder;
    const program::Operand valid = builder.mask_and(a.valid, b.valid);
    const program::Operand less = builder.mask_and_not(b.operand, a.operand);  // false < true
    const program::Operand greater = builder.mask_and_not(a.operand, b.operand);
    const program::Operand differ = builder.mask_or(less, greater);
    switch (comparison) {
      case Comparison::equal: return builder.mask_value(builder.mask_not(differ), valid);
      case Comparison::not_equal: return builder.mask_value(differ, valid);
      case Comparison::less: return builder.mask_value(less, valid);
      case Comparison::less_equal: return builder.mask_value(builder.mask_not(greater), valid);
      case Comparison::greater: return builder.mask_value(greater, valid);
      case Comparison::greater_equal: return builder.mask_value(builder.mask_not(less), valid);
    }
  }
  if (auto range = range_test(emit, comparison, a, b)) return *range;
  if (auto range = range_test(emit, mirrored(comparison), b, a)) return *range;
  Pair pair = a.type == Type::view ? Pair{a, b, Type::view} : to_common_type(emit.builder, a, b);
  return emit.builder.map(emit.id, pair.type, Type::mask, {pair.a, pair.b}, std::nullopt);
}

}  // namespace frazil::lower
