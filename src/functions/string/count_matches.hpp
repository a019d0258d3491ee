#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct count_matches {
  static constexpr FunctionInfo info{.name = "count_matches",
                                     .polars = {"string.CountMatches"},
                                     .shape = Shape::view,
                                     .arguments = 2,
                                     .payload = 1,
                                     .doc = "How often a text has another as a part, none inside of another.",
                                     .example = "count_matches(\"aaa\", \"a\", true) = 3"};
  template <class Arguments>
  FZ_HD static int64 apply(const Arguments& arguments) {
    int64 count = 0;
    each_part(arguments.text(0), arguments.text(1), ~uint64{0}, [&](uint32) { ++count; });
    return count;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return lower::all_texts(types) && lower::is_true(types.payload[0]) && types.result.id == TypeId::uint32;
  }
  static Value emit(const Emit& emit) { return lower::number_of_text(emit); }
#endif
};

}  // namespace frazil::functions
