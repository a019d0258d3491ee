#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// What is no number, or is beyond 38 digits, becomes one that no dtype up to 64 bits holds.
struct whole_of_text {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .shape = Shape::view,
                                     .arguments = 1,
                                     .payload = 1,
                                     .failure = "conversion failed: a text is no number of the dtype",
                                     .invalid_operation = true,
                                     .doc = "A text of decimal digits, with a sign or without, as a whole number.",
                                     .example = "cast(\"-12\", 0) = -12"};
  template <class Arguments>
  FZ_HD static int128 apply(const Arguments& arguments) {
    const RegisterView& text = arguments.text(0);
    const bool may_be_negative = arguments.whole(1) != 0;
    const char* at = text.data();
    const bool negative = text.length > 0 && at[0] == '-';
    const uint32 sign = negative || (text.length > 0 && at[0] == '+');
    const int128 no_number = decimal_limit<int128>();
    if (text.length == sign || (negative && !may_be_negative)) return no_number;
    int128 number = 0;
    for (uint32 i = sign; i < text.length; ++i) {
      if (at[i] < '0' || at[i] > '9') return no_number;
      if (number < no_number / 100) number = number * 10 + (at[i] - '0');  // beyond it the number is too large anyway
    }
    return negative ? -number : number;
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const lower::CastMode mode = lower::cast_mode(types);
    return types.arguments[0].id == TypeId::string && types.result.is_integer() && lower::dtype_bounds(types.result) &&
           types.result.id != TypeId::int128 && (mode == lower::CastMode::raise || mode == lower::CastMode::null);
  }
  static Value emit(const Emit& emit) {
    const Interval bounds = *lower::dtype_bounds(emit.result);
    const Value arguments[] = {emit.values[0], emit.builder.whole(emit.result.is_signed_integer())};
    const Value number = emit.builder.call(emit.id, Type::i128, arguments);
    return emit.builder.convert(lower::fit(emit, number, bounds), lower::widest_type(emit.result));
  }
#endif
};

}  // namespace frazil::functions
