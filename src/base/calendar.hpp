// Days of the proleptic Gregorian calendar, counted from 1970-01-01. Text that CPU and GPU share.
#pragma once

#include "base/target.hpp"

namespace frazil {

template <class T>
FZ_HD T divide_down(T a, T b) {
  const T quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}
template <class T>
FZ_HD T modulo_down(T a, T b) {
  const T rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

struct Day {
  int32 year;
  int32 month;  // from 1
  int32 day;    // from 1
};

// Years begin in March here, so that the day that some years have more comes last. Eras of 400 years begin on
// 0000-03-01, which is 4 eras and 135080 days before 1970; sums are of remainders, so that no day is too far.
template <class T>
FZ_HD Day day_of(T days) {
  T era = divide_down<T>(days, 146097);
  int32 of_era = static_cast<int32>(modulo_down<T>(days, 146097)) + 135080;
  era += 4;
  if (of_era >= 146097) {
    of_era -= 146097;
    ++era;
  }
  const int32 year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int32 of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int32 march_month = (5 * of_year + 2) / 153;
  const int32 month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {static_cast<int32>(static_cast<int64>(era) * 400) + year_of_era + (month <= 2), month,
          of_year - (153 * march_month + 2) / 5 + 1};
}

FZ_HD bool is_leap(int32 year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

FZ_HD int64 days_before_year(int32 year) {
  const int64 years = static_cast<int64>(year) - 1;
  return years * 365 + divide_down<int64>(years, 4) - divide_down<int64>(years, 100) + divide_down<int64>(years, 400) -
         719162;
}

FZ_HD int32 days_of_month(int32 year, int32 month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

FZ_HD int64 days_of(const Day& day) {
  const int64 year = static_cast<int64>(day.year) - (day.month <= 2);
  const int64 era = divide_down<int64>(year, 400);
  const int64 year_of_era = year - era * 400;
  const int64 of_year = (153 * (day.month > 2 ? day.month - 3 : day.month + 9) + 2) / 5 + day.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719468;
}

// Monday is 1.
template <class T>
FZ_HD int32 weekday_of(T days) {
  return (static_cast<int32>(modulo_down<T>(days, 7)) + 3) % 7 + 1;
}

// Weeks begin on Mondays and belong to the year that has their Thursday.
struct Week {
  int32 year, week;
};
template <class T>
FZ_HD Week week_of(T days) {
  const int64 thursday = static_cast<int64>(days) - weekday_of(days) + 4;
  const int32 year = day_of(thursday).year;
  return {year, static_cast<int32>((thursday - days_before_year(year)) / 7) + 1};
}

}  // namespace frazil
