// One step of a query: what it does to the rows of its inputs. The tree is immutable; shared inputs are the same
// object. A node is uniform data: the folder of its operator knows what its expressions and options mean.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "plan/expression.hpp"

namespace frazil::plan {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct FRAZIL_API Node {
  std::string kind;  // name of the operator's folder
  std::vector<NodePtr> inputs;
  std::map<std::string, std::vector<Named>> expressions;
  std::map<std::string, Option> options;
  std::shared_ptr<const columns::Table> table;  // scan_frame
  columns::Schema schema;                       // of the rows that it gives

  const std::vector<Named>& group(const std::string& name) const;  // empty if absent
  bool flag(const std::string& name, bool otherwise = false) const;
  int64_t number(const std::string& name, int64_t otherwise) const;
  std::string word(const std::string& name, const std::string& otherwise = "") const;
  const Options* list(const std::string& name) const;  // null if absent or None
};

// One line a node, inputs indented below.
FRAZIL_API std::string print(const Node& node);

}  // namespace frazil::plan
