#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct truncate_moment {
  static constexpr FunctionInfo info{
      .name = "truncate_moment",
      .polars = {"temporal.Truncate"},
      .arguments = 2,
      .doc =
          "The begin of the period that a date or moment lies in: of days, weeks from Monday, months, parts of a day.",
      .example = "truncate_moment(2024-02-29, \"1mo\") = 2024-02-01"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::truncates(types); }
  static Value emit(const Emit& emit) { return lower::truncate_moment(emit); }
#endif
};

}  // namespace frazil::functions
