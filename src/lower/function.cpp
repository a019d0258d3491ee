#include "lower/function.hpp"

#include "base/error.hpp"

namespace frazil::lower {

namespace {

// Whether the last argument says which rows count.
bool has_filter(const plan::FunctionInfo& info, const CallTypes& types) {
  return info.shape == plan::Shape::segmented && types.arguments.size() == static_cast<size_t>(info.arguments) + 1 &&
         types.arguments.back().id == columns::TypeId::boolean;
}

}  // namespace

std::optional<uint16> FunctionTable::find(const std::string& name, const CallTypes& all) const {
  for (size_t id = 0; id < functions_.size(); ++id) {
    const Function& function = functions_[id];
    if (name != function.info->name) continue;
    const bool filtered = has_filter(*function.info, all);
    const CallTypes types{all.arguments.first(all.arguments.size() - filtered), all.result, all.payload,
                          all.expressions};
    if (types.payload.size() != static_cast<size_t>(function.info->payload)) continue;
    if (function.info->arguments >= 0 && types.arguments.size() != static_cast<size_t>(function.info->arguments))
      continue;
    if (function.accepts(types)) return static_cast<uint16>(id);
  }
  return std::nullopt;
}

bool FunctionTable::knows(const std::string& name) const {
  for (const Function& function : functions_) {
    if (name == function.info->name) return true;
  }
  return false;
}

bool FunctionTable::aggregates(const std::string& name) const {
  for (const Function& function : functions_) {
    if (name == function.info->name) return plan::aggregates(function.info->shape);
  }
  return false;
}

uint16 FunctionTable::id_of(const std::string& name) const {
  for (size_t id = 0; id < functions_.size(); ++id) {
    if (name == functions_[id].info->name) return static_cast<uint16>(id);
  }
  fail(ErrorKind::internal, "no function " + name);
}

}  // namespace frazil::lower
