#include "lower/texts.hpp"

#include <algorithm>

namespace frazil::lower {

using columns::TypeId;

bool all_texts(const CallTypes& types) {
  return std::all_of(types.arguments.begin(), types.arguments.end(),
                     [](const DataType& type) { return type.id == TypeId::string; });
}

bool is_true(const plan::Option& option) {
  const bool* truth = option.as<bool>();
  return truth && *truth;
}

Value number_of_text(const Emit& emit) {
  Value number = emit.builder.call(emit.id, Type::i64, emit.values);
  number.interval = dtype_bounds(emit.result);
  return number;
}

bool strips(const CallTypes& types) {
  return types.arguments[0].id == TypeId::string && types.result.id == TypeId::string &&
         (types.arguments[1].id == TypeId::string || types.arguments[1].id == TypeId::null);
}

Value strip_text(const Emit& emit, int sides) {
  Builder& builder = emit.builder;
  const bool some = emit.types[1].id == TypeId::string;
  const Value arguments[] = {emit.values[0], some ? emit.values[1] : builder.null(Type::view), builder.whole(sides)};
  Value stripped = builder.call(emit.functions.id_of("strip"), Type::view, arguments, true);
  stripped.valid = emit.values[0].valid;
  return stripped;
}

}  // namespace frazil::lower
