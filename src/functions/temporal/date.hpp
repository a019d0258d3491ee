#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct date {
  static constexpr FunctionInfo info{.name = "date",
                                     .polars = {"temporal.Date"},
                                     .arguments = 1,
                                     .doc = "The day of a moment.",
                                     .example = "date(2024-02-29 12:00:00) = 2024-02-29"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && types.result.id == TypeId::date;
  }
  static Value emit(const Emit& emit) {
    DataType local = emit.types[0];
    local.zone.clear();
    return lower::apply(emit, "cast", {&local, 1}, emit.values, emit.result, {plan::Option{int64_t{0}}});
  }
#endif
};

}  // namespace frazil::functions
