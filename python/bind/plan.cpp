// Plans: expressions and nodes as Python makes them.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bind.hpp"
#include "columns/dtype.hpp"
#include "engine/engine.hpp"
#include "plan/node.hpp"
#include "plan_types.hpp"

namespace frazil::bind {
namespace {

// A Python int of any size that 128 bits hold.
int128 whole_of(nb::handle value) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow == 0) return small;
  nb::object bytes = value.attr("to_bytes")(16, "little", nb::arg("signed") = true);
  int128 whole;
  std::memcpy(&whole, nb::cast<nb::bytes>(bytes).c_str(), sizeof whole);
  return whole;
}

plan::Scalar scalar_of(nb::handle value) {
  if (value.is_none()) return std::monostate{};
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::int_>(value)) return whole_of(value);
  if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (nb::isinstance<nb::bytes>(value)) {
    const nb::bytes bytes = nb::cast<nb::bytes>(value);
    return std::string(bytes.c_str(), bytes.size());
  }
  throw nb::type_error("a literal is None, bool, int, float, str or bytes");
}

plan::Option option_of(nb::handle value) {
  if (value.is_none()) return {std::monostate{}};
  if (nb::isinstance<nb::bool_>(value)) return {nb::cast<bool>(value)};
  if (nb::isinstance<nb::int_>(value)) return {nb::cast<int64_t>(value)};
  if (nb::isinstance<nb::float_>(value)) return {nb::cast<double>(value)};
  if (nb::isinstance<nb::str>(value)) return {nb::cast<std::string>(value)};
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    plan::Options items;
    for (nb::handle item : value) items.push_back(option_of(item));
    return {std::move(items)};
  }
  throw nb::type_error("an option is None, bool, int, float, str or a list of them");
}

// A name, and something of ours beside it, which stays where it is.
template <class T>
std::pair<std::string, const T*> pair_of(nb::handle item) {
  return {nb::cast<std::string>(item[0]), nb::cast<const T*>(item[1], false)};
}

plan::NodePtr node_of(const std::string& kind, const std::vector<PythonNode>& inputs, const nb::dict& expressions,
                      const nb::dict& options, nb::handle schema) {
  auto node = std::make_shared<plan::Node>();
  node->kind = kind;
  for (const PythonNode& input : inputs) node->inputs.push_back(input.node);
  for (auto [group, items] : expressions) {
    auto& named = node->expressions[nb::cast<std::string>(group)];
    named.reserve(nb::len(items));
    for (nb::handle item : items) {
      auto [name, expression] = pair_of<PythonExpression>(item);
      named.push_back({std::move(name), expression->expression});
    }
  }
  for (auto [name, value] : options) {
    if (nb::isinstance<PythonTable>(value)) {
      node->table = nb::cast<PythonTable>(value).table;
    } else {
      node->options[nb::cast<std::string>(name)] = option_of(value);
    }
  }
  node->schema.reserve(nb::len(schema));
  for (nb::handle item : schema) {
    auto [name, type] = pair_of<columns::DataType>(item);
    node->schema.push_back({std::move(name), *type});
  }
  return node;
}

nb::list describe_functions() {
  nb::list all;
  for (const engine::FunctionDescription& function : engine::functions()) {
    nb::list spellings;
    for (const char* spelling : function.info->polars) {
      if (spelling) spellings.append(spelling);
    }
    nb::dict entry;
    entry["name"] = function.info->name;
    entry["polars"] = spellings;
    entry["payload"] = function.info->payload;
    entry["doc"] = function.info->doc;
    entry["example"] = function.info->example;
    entry["shape"] = function.shape;
    all.append(entry);
  }
  return all;
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<PythonExpression>(module, "Expr", "What to compute a row.")
      .def("__str__", [](const PythonExpression& self) { return self.expression->text(); })
      .def("__repr__", [](const PythonExpression& self) { return self.expression->text(); })
      .def_prop_ro("dtype", [](const PythonExpression& self) { return self.expression->type; });
  nb::class_<PythonNode>(module, "Node", "One step of a query.")
      .def("__str__", [](const PythonNode& self) { return plan::print(*self.node); })
      .def_prop_ro("schema", [](const PythonNode& self) {
        std::vector<std::pair<std::string, columns::DataType>> schema;
        for (const columns::Field& field : self.node->schema) schema.emplace_back(field.name, field.type);
        return schema;
      });
  module.def(
      "column",
      [](const std::string& name, const columns::DataType& type) { return PythonExpression{plan::column(name, type)}; },
      nb::arg("name"), nb::arg("dtype"));
  module.def(
      "literal",
      [](nb::handle value, const columns::DataType& type) {
        return PythonExpression{plan::literal(scalar_of(value), type)};
      },
      nb::arg("value").none(), nb::arg("dtype"));
  module.def(
      "call",
      [](const std::string& function, const std::vector<PythonExpression>& args, const columns::DataType& type,
         const nb::list& payload) {
        std::vector<plan::ExpressionPtr> arguments;
        for (const PythonExpression& arg : args) arguments.push_back(arg.expression);
        plan::Options options;
        for (nb::handle item : payload) options.push_back(option_of(item));
        return PythonExpression{plan::call(function, std::move(arguments), type, std::move(options))};
      },
      nb::arg("function"), nb::arg("args"), nb::arg("dtype"), nb::arg("payload") = nb::list());
  module.def(
      "node",
      [](const std::string& kind, const std::vector<PythonNode>& inputs, const nb::dict& expressions,
         const nb::dict& options,
         const nb::sequence& schema) { return PythonNode{node_of(kind, inputs, expressions, options, schema)}; },
      nb::arg("kind"), nb::arg("inputs"), nb::arg("expressions"), nb::arg("options"), nb::arg("schema"));
  module.def("functions", describe_functions, "What the engine computes: name, Polars' spellings, document.");
}

}  // namespace frazil::bind
