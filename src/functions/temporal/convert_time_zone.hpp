#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct convert_time_zone {
  static constexpr FunctionInfo info{.name = "convert_time_zone",
                                     .polars = {"temporal.ConvertTimeZone"},
                                     .arguments = 1,
                                     .payload = 1,
                                     .doc = "The same moment in another zone; one without a zone is taken for UTC.",
                                     .example = "convert_time_zone(2024-01-01 00:00 UTC, \"Asia/Tokyo\") = 09:00 JST"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType &from = types.arguments[0], &to = types.result;
    const std::string* zone = types.payload[0].as<std::string>();
    return from.id == TypeId::datetime && to.id == TypeId::datetime && from.unit == to.unit && zone && *zone == to.zone;
  }
  static Value emit(const Emit& emit) { return emit.values[0]; }  // all zones count from the same moment
#endif
};

}  // namespace frazil::functions
