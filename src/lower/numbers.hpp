// Rules of functions that round, bound and combine numbers, and of literals that take another dtype. Host only.
#pragma once

#include "base/rounding.hpp"
#include "lower/rules.hpp"

namespace frazil::lower {

// Another function, as if the query called it with these values.
Value apply(const Emit& emit, const char* function, std::span<const DataType> types, std::span<const Value> values,
            const DataType& result, const plan::Options& payload = {});

// A literal whose value another dtype holds exactly, and the value there. Dates and times take whole numbers as theirs.
bool literal_fits(const plan::Expression& literal, const DataType& type);
Value literal_as(Builder& builder, const plan::Expression& literal, const DataType& type);

// An argument that is a number as a float; Float32 stays as it is.
Value as_real(const Emit& emit, size_t argument);

// Rounding to so many digits after the point. Floats beyond 300 digits are left out: their factor is no float.
bool rounds(const CallTypes& types, const int64_t* digits = nullptr);
Value round_number(const Emit& emit, Rounding how, int64_t digits);

// Two floats of the result's dtype; their quotient rounded down.
bool all_reals(const CallTypes& types);
Value floor_of_quotient(const Emit& emit);

// The value, or the bound if that is above it (`is_lowest`) or below it; the value where NaN is on either side.
Value bounded(const Emit& emit, const Value& value, const Value& bound, bool is_lowest);

// Of all arguments of a row: the largest or least that is not null, and the sum. A null counts as zero, or makes a
// null.
bool have_extremes(const CallTypes& types);
Value extreme_of_row(const Emit& emit, bool largest);
bool have_sum(const CallTypes& types);
Value sum_of_row(const Emit& emit, bool ignore_nulls);

}  // namespace frazil::lower
