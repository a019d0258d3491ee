// Rules of functions on dates, datetimes and durations, and of the periods that Polars writes as text. Host only.
#pragma once

#include "lower/rules.hpp"

namespace frazil::lower {

// "-1mo2w": months, days (weeks among them) and nanoseconds, none of them negative, and a sign for all.
struct Period {
  int64_t months = 0, weeks = 0, days = 0, nanoseconds = 0;
  bool negative = false;
};
// What a text stands for; nothing where Polars raises, too, or where a number is very large.
std::optional<Period> period_of(std::string_view text);
// The period of an argument that is a literal.
std::optional<Period> literal_period(const CallTypes& types, size_t argument);

// Dtypes of a unit; the unit that an option names.
DataType datetime(columns::TimeUnit unit, std::string zone = "");
DataType duration(columns::TimeUnit unit);
std::optional<columns::TimeUnit> unit_of(const plan::Option& option);

// A date, datetime or duration in another dtype; null beyond its range.
Value as_moment(const Emit& emit, size_t argument, const DataType& type);
// Whether the sum or difference of two such is known, and its value.
bool moments_add(const CallTypes& types, bool subtract);
Value sum_of_moments(const Emit& emit, bool subtract);

// A moment taken apart into days and ticks, and put together again.
struct DayAndTicks {
  Value day, ticks;
};
DayAndTicks split_moment(const Emit& emit, const Value& moment, const DataType& type);
Value join_moment(const Emit& emit, const DayAndTicks& parts, const DataType& type);

// Whole numbers of 64 bits: with a literal that is added, and divided by a literal.
Value plus_literal(const Emit& emit, const Value& value, int64_t literal);
Value times_literal(const Emit& emit, const Value& value, int64_t literal);
Value by_literal(const Emit& emit, const char* function, const Value& value, int64_t literal);

// The day on which a period of so many months begins, and a day so many months later: the last of a month where that
// has no such day.
Value begin_of_months(const Emit& emit, const Value& day, int64_t months);
Value shift_months(const Emit& emit, const Value& day, int64_t months);

bool truncates(const CallTypes& types);
Value truncate_moment(const Emit& emit);
bool offsets(const CallTypes& types);
Value offset_moment(const Emit& emit);

// A duration and a number: by one function as whole numbers of 64 bits, by another as floats.
bool scales(const CallTypes& types);
Value scaled_duration(const Emit& emit, const char* of_wholes, const char* of_reals);

// How often a duration holds so many nanoseconds, towards zero or as a float.
bool totals(const CallTypes& types);
Value total_of_duration(const Emit& emit, int64_t nanoseconds);

}  // namespace frazil::lower
