#include "lower/expression.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "base/error.hpp"
#include "execute/materialise.hpp"
#include "lower/rules.hpp"
#include "primitives/cpu/state.hpp"

namespace frazil::lower {

using columns::Column;
using execute::Assembly;
using execute::Binding;
using plan::Expression;
using plan::Shape;

namespace {

std::vector<DataType> argument_types(const Expression& call) {
  std::vector<DataType> types;
  for (const auto& argument : call.arguments) types.push_back(argument->type);
  return types;
}

void refuse(std::vector<Refusal>& refusals, std::string code, const Expression& expression, std::string message) {
  refusals.push_back({std::move(code), "", expression.text(), std::move(message)});
}

}  // namespace

void Expressions::check(const Expression& expression, bool aggregates, std::vector<Refusal>& refusals) const {
  switch (expression.kind) {
    case Expression::Kind::column: return;
    case Expression::Kind::literal:
      if (widest_type(expression.type) == Type::none && expression.type.id != columns::TypeId::null) {
        refuse(refusals, "literal_dtype", expression, "literals of " + expression.type.name() + " are not supported");
      }
      return;
    case Expression::Kind::call: break;
  }
  // No aggregate inside of another.
  const bool inner = aggregates && !functions_.aggregates(expression.name);
  for (const auto& argument : expression.arguments) check(*argument, inner, refusals);
  const std::vector<DataType> types = argument_types(expression);
  const auto id = functions_.find(expression.name, {types, expression.type, expression.payload, expression.arguments});
  // Those that are given whole columns say themselves which.
  const bool takes_columns = id && functions_.at(*id).info->shape == Shape::segmented;
  for (const auto& argument : expression.arguments) {
    if (!takes_columns && argument->kind == Expression::Kind::column && widest_type(argument->type) == Type::none) {
      refuse(refusals, "dtype", *argument, "columns of " + argument->type.name() + " cannot be computed with yet");
      return;
    }
  }
  if (!id) {
    const bool known = functions_.knows(expression.name);
    refuse(refusals, known ? "signature" : "function", expression,
           known ? "the function \"" + expression.name + "\" does not take these dtypes or options yet"
                 : "the function \"" + expression.name + "\" is not supported yet");
    return;
  }
  if (plan::aggregates(functions_.at(*id).info->shape) && !aggregates) {
    refuse(refusals, "aggregate_here", expression,
           "aggregates are only supported in group_by and in selects of aggregates");
  }
}

uint16 Expressions::resolve(const Expression& call) const {
  const std::vector<DataType> types = argument_types(call);
  const auto id = functions_.find(call.name, {types, call.type, call.payload, call.arguments});
  FZ_CHECK(id.has_value());
  return *id;
}

Value Expressions::compile_literal(Builder& builder, const Expression& literal) const {
  const Type type = widest_type(literal.type);
  if (literal.type.id == columns::TypeId::null) return builder.null(Type::i32);
  if (std::holds_alternative<std::monostate>(literal.scalar)) return builder.null(type);
  if (const bool* truth = std::get_if<bool>(&literal.scalar)) return builder.truth(*truth);
  if (const std::string* text = std::get_if<std::string>(&literal.scalar)) return builder.text(*text);
  if (const double* real = std::get_if<double>(&literal.scalar)) return builder.real(*real, type);
  const int128 whole = std::get<int128>(literal.scalar);
  return program::is_float(type) ? builder.real(static_cast<double>(whole), type) : builder.whole(whole);
}

Value Expressions::compile(Assembly& assembly, const Expression& expression) const {
  switch (expression.kind) {
    case Expression::Kind::column: return assembly.load(assembly.find(expression.name));
    case Expression::Kind::literal: return compile_literal(assembly.builder(), expression);
    case Expression::Kind::call: break;
  }
  return compile_call(assembly, expression);
}

namespace {

void tell_cast(execute::Context& context, uint16 function, const DataType& from, const DataType& to) {
  const std::string dtypes = " from `" + from.short_name() + "` to `" + to.short_name() + "`";
  const auto [told, is_new] = context.casts.try_emplace(function, dtypes);
  if (!is_new && told->second != dtypes) told->second.clear();
}

}  // namespace

Value Expressions::compile_call(Assembly& assembly, const Expression& call) const {
  if (auto value = compile_on_dictionary(assembly, call)) return *value;
  std::vector<Value> values;
  for (const auto& argument : call.arguments) values.push_back(compile(assembly, *argument));
  const std::vector<DataType> types = argument_types(call);
  const uint16 id = resolve(call);
  if (call.name == "cast") tell_cast(assembly.context(), id, types[0], call.type);
  const Shape shape = functions_.at(id).info->shape;
  const bool makes_text = (shape == Shape::string || shape == Shape::host) && !functions_.at(id).info->to_mask;
  const int text_slot = makes_text ? assembly.text_slot() : -1;
  auto add_state = [&](std::shared_ptr<void> state) {
    void* at = state.get();
    return assembly.add_slot(call.name, execute::shared_slot(std::move(state), at));
  };
  return functions_.at(id).emit({assembly.builder(), functions_, id, types, call.type, call.payload, values, text_slot,
                                 call.arguments, add_state});
}

bool Expressions::may_fail(const Expression& expression) const {
  if (expression.kind != Expression::Kind::call) return false;
  if (functions_.at(resolve(expression)).info->may_fail) return true;
  // Only decimals at a larger scale may need more digits than there are; with intervals most are known not to.
  const bool decimal = expression.type.id == columns::TypeId::decimal;
  return std::any_of(expression.arguments.begin(), expression.arguments.end(), [&](const auto& argument) {
    return may_fail(*argument) || (decimal && argument->type.scale < expression.type.scale);
  });
}

namespace {

// Runs a one-column predicate over the values of a dictionary: one byte of truth a value.
std::vector<uint8_t> truth_of_values(const Expressions& expressions, execute::Context& context, const Expression& call,
                                     const std::string& name, const Column& dictionary) {
  execute::Facts facts{dictionary.rows, {execute::describe(name, dictionary)}};
  Assembly assembly(context, facts);
  const Value truth = expressions.compile(assembly, call);
  Binding binding{
      .name = "truth",
      .type = columns::simple(columns::TypeId::boolean),
      .origin = Binding::Origin::computed,
      .value = assembly.builder().mask_value(assembly.builder().mask_and(truth.operand, truth.valid), program::kAll)};
  execute::Materialise output;
  output.prepare(assembly, {binding});
  const program::Program program = program::allocate(assembly.builder().finish());
  std::vector<std::unique_ptr<execute::SlotState>> slots;
  std::vector<execute::SlotState*> slot_pointers;
  std::vector<void*> states;
  for (const execute::Slot& slot : assembly.slots()) {
    slots.push_back(slot.factory(context));
    slot_pointers.push_back(slots.back().get());
    states.push_back(slots.back()->state());
  }
  auto lane = output.start(context, slot_pointers);
  const columns::Batch batch{dictionary.rows, {dictionary}};
  lane->begin(context, batch);
  std::vector<const char*> characters;
  const primitives::cpu::BoundColumn bound = primitives::cpu::bind_column(dictionary, characters);
  std::vector<int64> node_rows(std::max<size_t>(context.nodes.size(), 1), 0);
  primitives::cpu::Machine(program, context.functions->cpu, context.pool, context.control->cancelled)
      .run({&bound, 1}, dictionary.rows, 0, 0, states.data(), node_rows.data());
  const Column bits = lane->take(context, batch).columns[0];
  std::vector<uint8_t> bytes(static_cast<size_t>(dictionary.rows));
  for (int64_t row = 0; row < dictionary.rows; ++row) {
    bytes[static_cast<size_t>(row)] = bits.values.as<uint8_t>()[row >> 3] >> (row & 7) & 1;
  }
  return bytes;
}

struct OwnedLookup {
  std::vector<uint8_t> truth;
  primitives::cpu::LookupTable table;
};

}  // namespace

// A predicate on one dictionary column and literals is computed once per value, then looked up by code.
std::optional<Value> Expressions::compile_on_dictionary(Assembly& assembly, const Expression& call) const {
  const plan::FunctionInfo& info = *functions_.at(resolve(call)).info;
  if (!info.by_value) return std::nullopt;
  const Expression* column = nullptr;
  for (const auto& argument : call.arguments) {
    if (argument->kind == Expression::Kind::call) return std::nullopt;
    if (argument->kind == Expression::Kind::literal) continue;
    if (column) return std::nullopt;
    column = argument.get();
  }
  if (!column) return std::nullopt;
  const auto codes = assembly.codes(assembly.find(column->name));
  if (!codes) return std::nullopt;
  auto owned = std::make_shared<OwnedLookup>();
  owned->truth = truth_of_values(*this, assembly.context(), call, column->name, *codes->dictionary);
  owned->table = {owned->truth.data(), static_cast<uint32>(owned->truth.size())};
  const int slot =
      assembly.add_slot(call.text(), execute::shared_slot(owned, &owned->table),
                        [owned](execute::Context&) { return primitives::DeviceSlot{.lookup = &owned->table}; });
  return assembly.builder().lookup(codes->value, slot);
}

void split_conjuncts(const plan::ExpressionPtr& predicate, std::vector<plan::ExpressionPtr>& conjuncts) {
  if (predicate->kind == Expression::Kind::call && predicate->name == "and") {
    for (const auto& side : predicate->arguments) split_conjuncts(side, conjuncts);
  } else {
    conjuncts.push_back(predicate);
  }
}

namespace {

// The column under casts, if that is all there is.
const Expression* bare_column(const Expression& expression) {
  const Expression* inner = &expression;
  while (inner->kind == Expression::Kind::call && inner->name == "cast") inner = inner->arguments[0].get();
  return inner->kind == Expression::Kind::column ? inner : nullptr;
}

// A literal as a number at a column's scale; nothing for other literals.
std::optional<double> number_of(const Expression& expression, const DataType& like) {
  const int128* whole = std::get_if<int128>(&expression.scalar);
  if (expression.kind != Expression::Kind::literal || !whole) return std::nullopt;
  return static_cast<double>(*whole) * std::pow(10.0, like.scale - expression.type.scale);
}

// The share of rows that a conjunct keeps, where the interval of its column or the size of its dictionary tells; as if
// values were spread evenly. Only the order of filters depends on it.
double guess_share(const Assembly& assembly, const Expression& conjunct) {
  constexpr double kUnknown = 0.5;
  const Expression* column = conjunct.arguments.empty() ? nullptr : bare_column(*conjunct.arguments[0]);
  if (!column) return kUnknown;
  const Binding& binding = assembly.find(column->name);
  if (binding.origin != Binding::Origin::source) return kUnknown;
  const program::SourceColumn& source = assembly.facts().columns[static_cast<size_t>(binding.column)];
  if (source.dictionary && conjunct.name == "equal")
    return 1.0 / static_cast<double>(std::max<int64_t>(source.dictionary->rows, 1));
  if (!source.interval || conjunct.arguments.size() < 2) return kUnknown;
  const auto first = number_of(*conjunct.arguments[1], source.type);
  const auto last = number_of(*conjunct.arguments.back(), source.type);
  if (!first || !last) return kUnknown;
  const auto low = static_cast<double>(source.interval->low), high = static_cast<double>(source.interval->high);
  const double width = high - low + 1;
  if (conjunct.name == "equal") return 1 / width;
  if (conjunct.name == "is_between") return (*last - *first + 1) / width;
  if (conjunct.name == "less" || conjunct.name == "less_equal") return (*first - low + 1) / width;
  if (conjunct.name == "greater" || conjunct.name == "greater_equal") return (high - *first + 1) / width;
  return kUnknown;
}

// Tests of one column belong together, where they become one range; the share of the group decides its place.
void order_by_share(const Assembly& assembly, std::vector<plan::ExpressionPtr>& conjuncts) {
  std::map<std::string, double> share_of_column;
  auto column_of = [](const Expression& conjunct) -> std::string {
    const Expression* column = conjunct.arguments.empty() ? nullptr : bare_column(*conjunct.arguments[0]);
    return column ? column->name : conjunct.text();
  };
  for (const auto& conjunct : conjuncts) {
    auto [share, is_new] = share_of_column.try_emplace(column_of(*conjunct), 1.0);
    // Two bounds of one column cut from both ends.
    share->second = std::max(0.0, share->second - (1 - guess_share(assembly, *conjunct)));
  }
  std::stable_sort(conjuncts.begin(), conjuncts.end(), [&](const auto& a, const auto& b) {
    return share_of_column[column_of(*a)] < share_of_column[column_of(*b)];
  });
}

}  // namespace

void Expressions::filter(Assembly& assembly, const Expression& predicate) const {
  std::vector<plan::ExpressionPtr> conjuncts, harmless;
  split_conjuncts(std::make_shared<Expression>(predicate), conjuncts);
  // What may fail must see every row of the node; it is computed before rows are dropped.
  std::vector<Value> fallible;
  for (const auto& conjunct : conjuncts) {
    if (may_fail(*conjunct)) {
      fallible.push_back(compile(assembly, *conjunct));
    } else {
      harmless.push_back(conjunct);
    }
  }
  order_by_share(assembly, harmless);
  for (const auto& conjunct : harmless) assembly.builder().filter(compile(assembly, *conjunct));
  for (const Value& value : fallible) assembly.builder().filter(value);
}

}  // namespace frazil::lower
