#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct find {
  static constexpr FunctionInfo info{.name = "find",
                                     .polars = {"string.Find"},
                                     .shape = Shape::view,
                                     .arguments = 2,
                                     .payload = 2,
                                     .doc = "The byte where a text first has another as a part; null where it has not.",
                                     .example = "find(\"größer\", \"ß\", true, true) = 4"};
  template <class Arguments>
  FZ_HD static int64 apply(const Arguments& arguments) {
    const uint32 at = find_part(arguments.text(0), 0, arguments.text(1));
    return at > arguments.text(0).length ? -1 : static_cast<int64>(at);
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::all_texts(types) && lower::is_true(types.payload[0]) && types.result.id == TypeId::uint32;
  }
  static Value emit(const Emit& emit) {
    Value at = lower::number_of_text(emit);
    at.interval.reset();
    at.valid = emit.builder.mask_and(at.valid, emit.builder.range(at, 0, INT64_MAX).operand);
    at.interval = lower::dtype_bounds(emit.result);
    return at;
  }
#endif
};

}  // namespace frazil::functions
