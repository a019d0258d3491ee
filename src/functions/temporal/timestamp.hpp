#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct timestamp {
  static constexpr FunctionInfo info{.name = "timestamp",
                                     .polars = {"temporal.TimeStamp"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "Ticks of a unit from 1970 to a date or moment.",
                                     .example = "timestamp(1970-01-02, \"ms\") = 86400000"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::has_date(types.arguments[0]) && lower::unit_of(types.payload[0]) && types.result.id == TypeId::int64;
  }
  static Value emit(const Emit& emit) {
    DataType local = emit.types[0];
    local.zone.clear();
    return lower::apply(emit, "cast", {&local, 1}, emit.values, lower::datetime(*lower::unit_of(emit.payload[0])),
                        {plan::Option{int64_t{1}}});
  }
#endif
};

}  // namespace frazil::functions
