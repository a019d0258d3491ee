#include "plan/node.hpp"

namespace frazil::plan {

const std::vector<Named>& Node::group(const std::string& name) const {
  static const std::vector<Named> empty;
  auto found = expressions.find(name);
  return found == expressions.end() ? empty : found->second;
}

namespace {

template <class T>
const T* find(const Node& node, const std::string& name) {
  auto found = node.options.find(name);
  return found == node.options.end() ? nullptr : found->second.as<T>();
}

void print(const Node& node, int depth, std::string& text) {
  text += std::string(static_cast<size_t>(depth) * 2, ' ') + node.kind;
  for (const auto& [group, items] : node.expressions) {
    if (items.empty()) continue;
    text += " " + group + "=[";
    for (size_t i = 0; i < items.size(); ++i) {
      std::string expression = items[i].expression->text();
      text += (i ? ", " : "") + expression;
      if (!items[i].name.empty() && items[i].name != expression) text += " as " + items[i].name;
    }
    text += "]";
  }
  text += "\n";
  for (const NodePtr& input : node.inputs) print(*input, depth + 1, text);
}

}  // namespace

bool Node::flag(const std::string& name, bool otherwise) const {
  const bool* value = find<bool>(*this, name);
  return value ? *value : otherwise;
}

int64_t Node::number(const std::string& name, int64_t otherwise) const {
  const int64_t* value = find<int64_t>(*this, name);
  return value ? *value : otherwise;
}

std::string Node::word(const std::string& name, const std::string& otherwise) const {
  const std::string* value = find<std::string>(*this, name);
  return value ? *value : otherwise;
}

const Options* Node::list(const std::string& name) const { return find<Options>(*this, name); }

std::string print(const Node& node) {
  std::string text;
  print(node, 0, text);
  return text;
}

}  // namespace frazil::plan
