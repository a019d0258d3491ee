#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct offset_by {
  static constexpr FunctionInfo info{.name = "offset_by",
                                     .polars = {"temporal.OffsetBy"},
                                     .arguments = 2,
                                     .doc = "A date or moment that is a period later, or earlier.",
                                     .example = "offset_by(2024-01-31, \"1mo\") = 2024-02-29"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::offsets(types); }
  static Value emit(const Emit& emit) { return lower::offset_moment(emit); }
#endif
};

}  // namespace frazil::functions
