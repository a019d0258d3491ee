#include "lower/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace frazil::lower {

using columns::TypeId;
using program::is_float;
using program::is_whole;

Value apply(const Emit& emit, const char* function, std::span<const DataType> types, std::span<const Value> values,
            const DataType& result, const plan::Options& payload) {
  const std::optional<uint16> id = emit.functions.find(function, {types, result, payload});
  FZ_CHECK(id);
  return emit.functions.at(*id).emit(
      {emit.builder, emit.functions, *id, types, result, payload, values, emit.text_slot});
}

namespace {

bool is_real(const DataType& type) { return type.id == TypeId::float32 || type.id == TypeId::float64; }

// The whole number that stands for a literal in a dtype of whole numbers; nothing where there is none.
std::optional<int128> whole_as(const plan::Expression& literal, const DataType& type) {
  const int128* whole = std::get_if<int128>(&literal.scalar);
  if (!whole) return std::nullopt;
  const DataType& from = literal.type;
  const bool counts = from.is_integer() || from.id == TypeId::decimal;
  const int from_scale = from.id == TypeId::decimal ? from.scale : 0;
  const int scale = type.id == TypeId::decimal ? type.scale : 0;
  std::optional<Interval> bounds = dtype_bounds(type);
  if (type.id == TypeId::decimal) {
    const int128 most = power_of_ten(type.precision) - 1;
    bounds = Interval{-most, most};
  }
  int128 value = 0;
  if (!counts || scale < from_scale || __builtin_mul_overflow(*whole, power_of_ten(scale - from_scale), &value) ||
      !bounds || value < bounds->low || value > bounds->high) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

bool literal_fits(const plan::Expression& literal, const DataType& type) {
  if (literal.kind != plan::Expression::Kind::literal) return false;
  if (std::holds_alternative<std::monostate>(literal.scalar)) return widest_type(type) != Type::none;
  if (!is_real(type)) return whole_as(literal, type).has_value();
  return std::holds_alternative<double>(literal.scalar) ||
         (literal.type.is_integer() && std::holds_alternative<int128>(literal.scalar));
}

Value literal_as(Builder& builder, const plan::Expression& literal, const DataType& type) {
  if (std::holds_alternative<std::monostate>(literal.scalar)) return builder.null(widest_type(type));
  if (!is_real(type)) return builder.whole(*whole_as(literal, type));
  const double* real = std::get_if<double>(&literal.scalar);
  return builder.real(real ? *real : static_cast<double>(std::get<int128>(literal.scalar)), widest_type(type));
}

Value as_real(const Emit& emit, size_t argument) {
  const DataType& type = emit.types[argument];
  if (is_real(type)) return emit.builder.convert(emit.values[argument], widest_type(type));
  return apply(emit, "cast", {&type, 1}, {&emit.values[argument], 1}, columns::simple(TypeId::float64),
               {plan::Option{int64_t{0}}});
}

namespace {

constexpr int64_t kMostDigits = 300;  // from here on the factor is no float
constexpr int64_t kEveryDigit = 326;  // from here on no float has a digit that far behind the point

// As Polars' own is computed, which for large powers is not the nearest float.
double real_power_of_ten(int64_t exponent) {
  double power = 1, square = 10;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2) power *= square;
    square *= square;
  }
  return power;
}

Value round_real(const Emit& emit, Rounding how, int64_t digits) {
  if (digits >= kEveryDigit) return emit.values[0];
  Builder& builder = emit.builder;
  const Value rounded = builder.map(emit.functions.id_of("round_to"), Type::f64, Type::f64,
                                    {builder.convert(emit.values[0], Type::f64),
                                     builder.real(real_power_of_ten(digits)), builder.real(static_cast<int>(how))},
                                    std::nullopt);
  return builder.convert(rounded, widest_type(emit.result));
}

Value round_decimal_to(const Emit& emit, Rounding how, int dropped) {
  Builder& builder = emit.builder;
  const Value& value = emit.values[0];
  const int128 unit = power_of_ten(dropped);
  std::optional<Interval> rounded;
  if (value.interval) {
    rounded = Interval{std::min<int128>(rounded_to(value.interval->low, unit, Rounding::down), 0),
                       std::max<int128>(rounded_to(value.interval->high, unit, Rounding::up), unit)};
  }
  std::vector<Value> arguments{value, builder.whole(unit), builder.whole(static_cast<int>(how))};
  const Type type = decimal_type(arguments, rounded);
  for (Value& argument : arguments) argument = builder.convert(argument, type);
  const uint16 round_to = emit.functions.id_of("round_to");
  if (rounded && rounded->low >= decimal_bounds().low && rounded->high <= decimal_bounds().high) {
    return builder.map(round_to, type, type, std::move(arguments), rounded);
  }
  return builder.map_checked(round_to, type, std::move(arguments), decimal_bounds(), emit.id);
}

}  // namespace

bool rounds(const CallTypes& types, const int64_t* digits) {
  const DataType& type = types.arguments[0];
  if (types.payload.size() > 0 && (!digits || *digits < 0)) return false;
  if (is_real(type)) return type == types.result && (!digits || *digits < kMostDigits || *digits >= kEveryDigit);
  if (type.id == TypeId::decimal) return types.result.id == TypeId::decimal && type.scale == types.result.scale;
  return is_number(type) && type == types.result;
}

Value round_number(const Emit& emit, Rounding how, int64_t digits) {
  const DataType& type = emit.types[0];
  if (is_real(type)) return round_real(emit, how, digits);
  if (type.id != TypeId::decimal || digits >= type.scale) return emit.values[0];
  return round_decimal_to(emit, how, type.scale - static_cast<int>(digits));
}

bool all_reals(const CallTypes& types) {
  return is_real(types.result) && std::all_of(types.arguments.begin(), types.arguments.end(),
                                              [&](const DataType& type) { return type == types.result; });
}

Value floor_of_quotient(const Emit& emit) {
  const Value quotient = apply(emit, "divide", emit.types, emit.values, emit.result);
  return apply(emit, "floor", emit.types.first(1), {&quotient, 1}, emit.result);
}

Value bounded(const Emit& emit, const Value& value, const Value& bound, bool is_lowest) {
  Builder& builder = emit.builder;
  const Pair pair = to_common_type(builder, value, bound);
  std::optional<Interval> interval;
  if (value.interval && bound.interval) {
    interval = Interval{std::min(value.interval->low, bound.interval->low),
                        std::max(value.interval->high, bound.interval->high)};
  }
  const int which = is_lowest ? 1 : 0;
  const Value side =
      is_float(pair.type) ? builder.real(which, pair.type) : builder.convert(builder.whole(which), pair.type);
  return builder.map(emit.functions.id_of("clip_to"), pair.type, pair.type, {pair.a, pair.b, side}, interval);
}

bool have_extremes(const CallTypes& types) {
  return !types.arguments.empty() && (ordered(types.result) || types.result.id == TypeId::boolean) &&
         std::all_of(types.arguments.begin(), types.arguments.end(),
                     [&](const DataType& type) { return same_numbers(type, types.result); });
}

namespace {

// Of two values, of which the second counts where they are equal.
Value extreme(const Emit& emit, const Value& first, const Value& second, bool largest) {
  Builder& builder = emit.builder;
  if (first.type == Type::mask) {
    return largest ? builder.mask_value(builder.mask_or(first.operand, second.operand), program::kAll)
                   : builder.mask_value(builder.mask_and(first.operand, second.operand), program::kAll);
  }
  const Value chosen = bounded(emit, second, first, largest);
  if (!is_float(second.type)) return chosen;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Value is_number = builder.range_real(second, -kInfinity, kInfinity);
  return builder.select(is_number, chosen, first);
}

Value without_nulls(Value value) {
  value.valid = program::kAll;
  return value;
}

}  // namespace

Value extreme_of_row(const Emit& emit, bool largest) {
  Builder& builder = emit.builder;
  Value chosen = emit.values[0];
  for (const Value& value : emit.values.subspan(1)) {
    const Value first = first_valid(builder, chosen, value), second = first_valid(builder, value, chosen);
    const program::Operand valid = builder.mask_or(chosen.valid, value.valid);
    chosen = extreme(emit, without_nulls(first), without_nulls(second), largest);
    chosen.valid = valid;
  }
  return chosen;
}

bool have_sum(const CallTypes& types) {
  const bool counts = types.result.id == TypeId::uint32;
  return types.payload[0].as<bool>() && !types.arguments.empty() && is_number(types.result) &&
         std::all_of(types.arguments.begin(), types.arguments.end(), [&](const DataType& type) {
           return type == types.result || (counts && type.id == TypeId::boolean);
         });
}

Value sum_of_row(const Emit& emit, bool ignore_nulls) {
  Builder& builder = emit.builder;
  const DataType both[] = {emit.result, emit.result};
  const Type type = widest_type(emit.result);
  const Value zero = is_float(type) ? builder.real(0, type) : builder.whole(0);
  std::optional<Value> sum;
  for (const Value& argument : emit.values) {
    Value value = argument;
    if (value.type == Type::mask) {
      value = builder.select({value.operand, Type::mask, program::kAll, {}}, builder.whole(1), builder.whole(0));
      value.valid = argument.valid;
    }
    if (ignore_nulls) value = first_valid(builder, value, zero);
    const Value parts[] = {sum.value_or(value), value};
    sum = sum ? apply(emit, "add", both, parts, emit.result) : value;
  }
  return *sum;
}

}  // namespace frazil::lower
