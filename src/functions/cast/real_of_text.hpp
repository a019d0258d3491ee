#pragma once

#include "functions/function.hpp"

#ifdef FZ_HOST
#include "lower/parsing.hpp"
#endif

namespace frazil::functions {

struct real_of_text {
  static constexpr FunctionInfo info{.name = "cast",
                                     .polars = {"cast"},
                                     .shape = Shape::host,
                                     .arguments = 1,
                                     .payload = 1,
                                     .failure = "conversion failed: a text is no number",
                                     .invalid_operation = true,
                                     .doc = "A text as the float next to the number that it writes.",
                                     .example = "cast(\"1e3\", 0) = 1000.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const lower::CastMode mode = lower::cast_mode(types);
    return types.arguments[0].id == TypeId::string && types.result.id == TypeId::float64 &&
           (mode == lower::CastMode::raise || mode == lower::CastMode::null);
  }
  static Value emit(const Emit& emit) {
    Builder& builder = emit.builder;
    Value real = builder.call(emit.id, Type::f64, emit.values);
    Value is_real = builder.call(emit.functions.id_of("is_real_text"), Type::mask, emit.values, false,
                                 emit.add_state(std::make_shared<Unbound>()));
    if (lower::cast_mode(emit) == lower::CastMode::null) {
      real.valid = builder.mask_and(real.valid, is_real.operand);
      return real;
    }
    // A text that is no number is raised as a number out of bounds.
    const Value zero = builder.real(0), one = builder.real(1);
    Value checked = builder.select({is_real.operand, Type::mask, program::kAll, {}}, zero, one);
    checked.valid = real.valid;
    builder.map_checked(emit.functions.id_of("keep_between"), Type::f64, {checked, zero, zero}, {}, emit.id);
    return real;
  }
  struct Unbound {};
  template <class Arguments>
  static double apply(const Arguments& arguments) {
    const RegisterView& text = arguments.text(0);
    return lower::parse_real({text.data(), text.length}).value_or(0);
  }
#endif
};

}  // namespace frazil::functions
