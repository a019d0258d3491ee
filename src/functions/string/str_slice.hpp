#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct str_slice {
  static constexpr FunctionInfo info{
      .name = "str_slice",
      .polars = {"string.Slice"},
      .shape = Shape::view,
      .arguments = 3,
      .failure = "conversion failed: the length of a slice is negative",
      .invalid_operation = true,
      .doc = "The characters of a text from an offset on (from its end where negative), at most so many; null: all.",
      .example = "str_slice(\"größer\", 1, 3) = \"röß\""};
  // The offset is that of the text's end and below its begin: the length counts from there, too.
  template <class Arguments>
  FZ_HD static RegisterView apply(const Arguments& arguments) {
    RegisterView text = arguments.text(0);
    const auto offset = static_cast<int64>(arguments.whole(1));
    uint64 length = arguments.valid(2) ? static_cast<uint64>(arguments.whole(2)) : ~uint64{0};
    uint32 begin = 0;
    if (offset >= 0) {
      begin = after_characters(text, static_cast<uint64>(offset));
    } else {
      const uint64 back = -static_cast<uint64>(offset), all = characters_of(text);
      if (back > all) {
        const uint64 missing = back - all;
        length = length == ~uint64{0} ? length : length > missing ? length - missing : 0;
      } else {
        begin = before_characters(text, back);
      }
    }
    text = program::view_of(text.data() + begin, text.length - begin);
    return program::view_of(text.data(), after_characters(text, length));
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const DataType& length = types.arguments[2];
    return types.arguments[0].id == TypeId::string && lower::fits_64_bits(types.arguments[1]) &&
           (length.id == TypeId::null || (length.is_integer() && lower::dtype_bounds(length))) &&
           !is_negative(*types.expressions[2]);
  }
  // Which Polars raises for also where there are no rows.
  static bool is_negative(const plan::Expression& literal) {
    const int128* value = std::get_if<int128>(&literal.scalar);
    return value && *value < 0;
  }
  static Value emit(const Emit& emit) {
    std::vector<Value> values(emit.values.begin(), emit.values.end());
    if (emit.types[2].is_integer()) values[2] = not_negative(emit, values[2]);
    const program::Operand valid = emit.builder.mask_and(values[0].valid, values[1].valid);
    Value sliced = emit.builder.call(emit.id, Type::view, values, true);
    sliced.valid = valid;
    return sliced;
  }
  static Value not_negative(const Emit& emit, const Value& length) {
    const plan::Options raising = {{static_cast<int64_t>(lower::CastMode::raise)}};
    const lower::Emit cast{emit.builder, emit.functions, emit.id, emit.types, emit.result, raising, emit.values};
    return lower::fit(cast, length, {0, lower::dtype_bounds(emit.types[2])->high});
  }
#endif
};

}  // namespace frazil::functions
