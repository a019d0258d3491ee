// How dtypes become registers: the rules that many functions share. Host only.
#pragma once

#include "lower/function.hpp"

namespace frazil::lower {

// Register type that holds every value of a dtype; none: the dtype cannot be computed with.
Type widest_type(const DataType& type);
// The bounds that a dtype sets to its values, where it has any.
std::optional<Interval> dtype_bounds(const DataType& type);
// Two dtypes whose values mean the same numbers in registers: equal, or decimals of one scale.
bool same_numbers(const DataType& a, const DataType& b);

// Whole-number or float arithmetic that wraps as the result's dtype does. `interval`: of the exact result, if known.
Value wrapping_arithmetic(const Emit& emit, std::optional<Interval> interval);
// The exact result interval of an operation on both values' intervals, nothing where one is not known or 128 bits are
// not enough.
std::optional<Interval> add_intervals(const Value& a, const Value& b);
std::optional<Interval> subtract_intervals(const Value& a, const Value& b);
std::optional<Interval> multiply_intervals(const Value& a, const Value& b);

// Both values in one type that holds them exactly.
struct Pair {
  Value a, b;
  Type type;
};
Pair to_common_type(Builder& builder, const Value& a, const Value& b);

// A decimal at another scale; only upwards, where no digit is lost. What is not proven to fit raises.
Value rescale_up(const Emit& emit, const Value& value, int from_scale, int to_scale);
// The same for comparisons: what does not fit becomes a number beyond all decimals.
Value rescale_clamped(const Emit& emit, const Value& value, int from_scale, int to_scale);
// The narrowest type for a decimal operation on `values` with this exact result; i128 where that is not known to fit.
Type decimal_type(std::span<const Value> values, const std::optional<Interval>& exact);
int128 power_of_ten(int exponent);
constexpr int kDecimalDigits = 38;
// Largest magnitude of a Decimal(38, s).
Interval decimal_bounds();

// Comparison of numbers, dates, text or decimals of different scales, as a mask. Whole numbers beside a literal become
// a range test.
enum class Comparison { equal, not_equal, less, less_equal, greater, greater_equal };
Value compare(const Emit& emit, Comparison comparison);
bool comparable(const CallTypes& types);
// Longer lists of literals want a table, not a test each.
constexpr size_t kMostListed = 64;
// Whether a float lies between two finite literals, as one test; nothing where that is not what is asked.
std::optional<Value> real_between(Builder& builder, const Value& x, const Value& low, const Value& high, bool with_low,
                                  bool with_high);

// A decimal operation at the result's scale: in the narrowest type that holds `widest` and the arguments, checked
// where `exact` (widest, if not given) may need more than 38 digits. `raises`: the function whose failure that is, if
// it is not the one that computes.
Value checked_decimal(const Emit& emit, std::vector<Value> arguments, const std::optional<Interval>& widest,
                      std::optional<Interval> exact = std::nullopt, std::optional<uint16> raises = std::nullopt);
// The sum or difference of decimals at the result's scale. It is exact: only the result has to fit.
Value sum_of_decimals(const Emit& emit, bool subtract);

// What a cast does with values that do not fit.
enum class CastMode { raise, null, wrap, unknown };
CastMode cast_mode(const CallTypes& types);
CastMode cast_mode(const Emit& emit);
// A whole number within bounds: others raise or become null, as the cast's mode says.
Value fit(const Emit& emit, const Value& value, Interval bounds);
Value fit_or_null(const Emit& emit, const Value& value, Interval bounds);
// A float whose whole part is within bounds.
Value fit_real(const Emit& emit, const Value& value, const Interval& bounds);
// A Float64 whose magnitude is below another.
Value fit_real_below(const Emit& emit, const Value& value, double beyond);
Value wrap_to(Builder& builder, const Value& value, const DataType& type);
// A decimal with so many digits less, rounded half to even.
Value round_decimal(const Emit& emit, const Value& value, int digits);

// Dates, and datetimes without a zone or in UTC; datetimes so and times of a day.
bool has_date(const DataType& type);
bool has_time(const DataType& type);
int64_t ticks_of_day(const DataType& type);
// Null beyond the years that Polars' calendar has.
Value within_calendar(Builder& builder, Value moment, int128 ticks_of_day);
// A function of one of these and the ticks of a day. `bounds`: of whole results; none: it gives truth.
Value part_of_moment(const Emit& emit, std::optional<Interval> bounds);

// The first value where it is not null, else the second.
Value first_valid(Builder& builder, const Value& first, const Value& second);
// Whether both are equal or both null.
Value same_or_missing(const Emit& emit);
// A function of one number of any sign, whose exact result has this interval.
Value signed_result(const Emit& emit, std::optional<Interval> interval);

// Kleene's three-valued logic.
Value kleene_and(Builder& builder, const Value& a, const Value& b);
Value kleene_or(Builder& builder, const Value& a, const Value& b);
bool all_boolean(const CallTypes& types);

bool fits_64_bits(const DataType& type);  // integers whose values are all such with sign
bool is_number(const DataType& type);     // integers but UInt128, Float32, Float64
bool summable(const DataType& type);      // those, decimals and booleans
bool ordered(const DataType& type);       // what min and max take as registers

// Results of finished cells.
Value finish_sum(const Emit& emit);
Value finish_mean(const Emit& emit);
Value finish_extreme(const Emit& emit);  // values: the extreme, the count

// A plain column of `rows` values that the caller fills in, none of them null.
columns::Column plain_column(const DataType& type, int64_t rows, const memory::PoolPtr& pool);

}  // namespace frazil::lower
