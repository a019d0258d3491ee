#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct len_bytes {
  static constexpr FunctionInfo info{.name = "len_bytes",
                                     .polars = {"string.LenBytes"},
                                     .shape = Shape::view,
                                     .arguments = 1,
                                     .doc = "Number of bytes of a text.",
                                     .example = "len_bytes(\"größer\") = 8"};
  template <class Arguments>
  FZ_HD static int64 apply(const Arguments& arguments) {
    return arguments.text(0).length;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) { return lower::all_texts(types) && types.result.id == TypeId::uint32; }
  static Value emit(const Emit& emit) { return lower::number_of_text(emit); }
#endif
};

}  // namespace frazil::functions
