#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

// The arguments of a row are the delimiter, then the texts. Which rows are null is settled before: a null text that
// gets here is left out, with its delimiter.
struct concat_str {
  static constexpr FunctionInfo info{.name = "concat_str",
                                     .polars = {"string.ConcatHorizontal"},
                                     .shape = Shape::string,
                                     .arguments = -1,
                                     .payload = 2,
                                     .doc =
                                         "Texts one after the other, with a delimiter between them. A null text makes "
                                         "a null, or is left out, as the option says.",
                                     .example = "concat_str(\"a\", \"b\", \"-\", false) = \"a-b\""};
  template <class Arguments>
  FZ_HD static int64 bytes(const Arguments& arguments) {
    int64 bytes = 0;
    bool any = false;
    for (int k = 1; k < arguments.size(); ++k) {
      if (!arguments.valid(k)) continue;
      bytes += arguments.text(k).length + (any ? arguments.text(0).length : 0);
      any = true;
    }
    return bytes;
  }
  template <class Arguments>
  FZ_HD static void write(const Arguments& arguments, char* out) {
    bool any = false;
    for (int k = 1; k < arguments.size(); ++k) {
      if (!arguments.valid(k)) continue;
      if (any) out = append(out, arguments.text(0));
      out = append(out, arguments.text(k));
      any = true;
    }
  }
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    return types.payload[0].as<std::string>() && types.payload[1].as<bool>() && !types.arguments.empty() &&
           std::all_of(types.arguments.begin(), types.arguments.end(),
                       [](const DataType& type) { return type.id == TypeId::string; });
  }
  static Value emit(const Emit& emit) {
    const bool ignore_nulls = *emit.payload[1].as<bool>();
    std::vector<Value> arguments{emit.builder.text(*emit.payload[0].as<std::string>())};
    arguments.insert(arguments.end(), emit.values.begin(), emit.values.end());
    return emit.builder.call(emit.id, Type::view, arguments, ignore_nulls, emit.text_slot);
  }
#endif
};

}  // namespace frazil::functions
