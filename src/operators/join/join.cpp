#include "operators/join/join.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "execute/resident.hpp"
#include "execute/scheduler.hpp"
#include "lower/rules.hpp"
#include "primitives/move.hpp"

namespace frazil::operators {

using columns::Column;
using execute::Assembly;
using execute::Binding;
using execute::Context;
using execute::KeyColumn;
using execute::KeyLayout;
using primitives::cpu::JoinTable;
using program::Op;
using program::Operand;
using program::RegisterView;
using program::Type;
using program::Value;

namespace {

std::vector<KeyColumn> compile_keys(const lower::Expressions& expressions, Assembly& assembly,
                                    const std::vector<plan::Named>& keys) {
  std::vector<KeyColumn> columns;
  for (const plan::Named& key : keys) {
    columns.push_back({key.name, key.expression->type, expressions.compile(assembly, *key.expression), nullptr});
  }
  return columns;
}

class TableSlot : public execute::SlotState {
 public:
  TableSlot(std::shared_ptr<BuildSink> build, const primitives::cpu::ProbeState& table)
      : build_(std::move(build)), table_(table) {}
  void* state() override { return &table_; }

 private:
  std::shared_ptr<BuildSink> build_;
  primitives::cpu::ProbeState table_;
};

constexpr const char* kKeyName = "\1key";  // no column of a user's table

}  // namespace

// --- build side ------------------------------------------------------------------------------------------------------

void BuildSink::prepare(Assembly& assembly) {
  std::vector<Binding> bindings;
  if (!only_matches_) bindings = assembly.scope();
  std::vector<KeyColumn> keys = compile_keys(expressions_, assembly, node_->group(keys_));
  layout_ = execute::lay_out(keys, nulls_equal_, true);
  // Without nulls_equal a row with a null in its key has no key: the key's validity says so.
  Value key{execute::pack(assembly, layout_, keys, assembly.builder().live(), true), layout_.type(), program::kAll,
            std::nullopt};
  if (!nulls_equal_) {
    for (const KeyColumn& column : keys) key.valid = assembly.builder().mask_and(key.valid, column.value.valid);
  }
  static const std::map<Type, columns::TypeId> kTypes = {{Type::u64, columns::TypeId::uint64},
                                                         {Type::u128, columns::TypeId::uint128},
                                                         {Type::view, columns::TypeId::binary}};
  Binding binding{.name = kKeyName,
                  .type = columns::simple(kTypes.at(layout_.type())),
                  .origin = Binding::Origin::computed,
                  .value = key};
  bindings.push_back(std::move(binding));
  Collect::prepare(assembly, std::move(bindings));
}

template <class Key>
void BuildSink::make_table(Context& context, const Column& column, const Key* keys,
                           std::unique_ptr<JoinTable<Key>>& table) {
  table = std::make_unique<JoinTable<Key>>(context.pool, "join");
  FZ_CHECK(column.offset == 0);
  memory::Buffer words;  // validity in whole words
  if (column.validity) {
    words = context.pool->allocate_zeroed((column.rows + 63) / 64 * 8, "join");
    std::copy_n(column.validity.as<uint8_t>(), (column.rows + 7) / 8, words.mutable_as<uint8_t>());
  }
  table->build({keys, static_cast<size_t>(column.rows)}, column.validity ? words.as<uint64>() : nullptr,
               layout_.range(), !only_matches_, execute::on_all_threads(context));
}

void BuildSink::make_table(Context& context) {
  const Column& column = keys_column_->on_host(context);
  if (layout_.form == KeyLayout::Form::narrow) {
    make_table(context, column, column.values.as<uint64>(), narrow_);
  } else if (layout_.form == KeyLayout::Form::wide) {
    make_table(context, column, column.values.as<uint128>(), wide_);
  } else {
    text_keys_ = context.pool->allocate(side_->rows * static_cast<int64_t>(sizeof(RegisterView)), "join");
    auto* views = text_keys_.mutable_as<RegisterView>();
    constexpr int64_t kChunk = 1 << 16;
    context.scheduler->run(context, (side_->rows + kChunk - 1) / kChunk, [&](int, int64_t chunk) {
      for (int64_t row = chunk * kChunk; row < std::min((chunk + 1) * kChunk, side_->rows); ++row) {
        if (!column.is_valid(row)) continue;
        const std::string_view text = columns::text_at(column, row);
        views[row] = program::view_of(text.data(), static_cast<uint32>(text.size()));
      }
    });
    make_table(context, column, views, text_);
  }
  state_ = {narrow_.get(), wide_.get(), text_.get()};
}

execute::SourcePtr BuildSink::finish(Context& context) {
  side_ = std::make_shared<execute::BuildSide>();
  side_->schema = schema();
  side_->rows = rows();
  if (side_->rows >= primitives::kNoRow) {
    fail(ErrorKind::compute, "the build side of a join has 2^32 rows or more, which is not supported");
  }
  side_->columns.resize(schema().size());
  if (batches().size() == 1 && batches()[0].is_on_device()) {
    columns::Batch made = batches()[0].load();
    for (size_t c = 0; c < made.columns.size(); ++c)
      side_->columns[c] = std::make_shared<execute::GatherSource>(std::move(made.columns[c]));
  } else {
    context.scheduler->run(context, static_cast<int64_t>(schema().size()), [&](int, int64_t c) {
      const auto number = static_cast<size_t>(c);
      side_->columns[number] = std::make_shared<execute::GatherSource>(
          execute::take_column(batches(), number, schema()[number].type, context.pool));
    });
  }
  batches().clear();
  keys_column_ = side_->columns.back();
  side_->columns.pop_back();
  side_->schema.pop_back();
  if (execute::is_on_device(keys_column_->column())) {
    on_device(context);
  } else {
    make_table(context);
  }
  return execute::table_source(context, {}, {});
}

bool BuildSink::unique() const {
  if (device_table_) return device_table_->unique();
  return narrow_ ? narrow_->unique() : wide_ ? wide_->unique() : text_->unique();
}

namespace {

template <class Key>
columns::Interval interval_of(const KeyLayout::Field& field, const Column& column) {
  const Key* keys = column.values.as<Key>();
  const Key mask = field.bits >= static_cast<int>(8 * sizeof(Key)) ? ~Key{0} : (Key{1} << field.bits) - 1;
  Key low = mask, high = 0;
  bool any = false;
  for (int64_t row = 0; row < column.rows; ++row) {
    if (!column.is_valid(row)) continue;
    const Key packed = field.bits == 0 ? 0 : keys[row] >> field.shift & mask;
    low = std::min(low, packed);
    high = std::max(high, packed);
    any = true;
  }
  if (!any) return {0, -1};
  return {static_cast<int128>(low) + field.base, static_cast<int128>(high) + field.base};
}

}  // namespace

std::optional<columns::Interval> BuildSink::interval(size_t key) const {
  const KeyLayout::Field& field = layout_.fields[key];
  // Only packed whole numbers can be told apart from the rest, and only without a place for null.
  if (!program::is_whole(field.value_type) || field.nullable || field.dictionary) return std::nullopt;
  if (narrow_) return interval_of<uint64>(field, keys_column_->column());
  if (wide_) return interval_of<uint128>(field, keys_column_->column());
  return std::nullopt;
}

const primitives::cpu::ProbeState& BuildSink::on_host(Context& context) {
  std::lock_guard lock(mutex_);
  if (!narrow_ && !wide_ && !text_) make_table(context);
  return state_;
}

std::shared_ptr<const primitives::DeviceTable> BuildSink::on_device(Context& context) {
  std::lock_guard lock(mutex_);
  if (!device_table_) {
    device_table_ = context.resident->device().build_table(
        keys_column_->on_device(context), layout_.form == KeyLayout::Form::narrow ? layout_.bits : 128, !only_matches_);
  }
  return device_table_;
}

execute::Runs BuildSink::runs(Context& context) {
  on_host(context);
  if (narrow_) return {narrow_->start(), narrow_->rows()};
  if (wide_) return {wide_->start(), wide_->rows()};
  return {text_->start(), text_->rows()};
}

// --- probe side ------------------------------------------------------------------------------------------------------

bool ProbeStep::cuts(Context& context) {
  make_build_(context);
  return (kind_ == JoinKind::inner || kind_ == JoinKind::left) && !build_->unique();
}

// Rows without a partner are dropped where they are not kept for themselves.
void ProbeStep::restrict_source(Assembly& assembly, size_t key) const {
  if (kind_ == JoinKind::left || kind_ == JoinKind::anti || nulls_equal_) return;
  const plan::Expression& expression = *node_->group(keys_)[key].expression;
  if (expression.kind != plan::Expression::Kind::column || !expression.type.is_whole_number()) return;
  const Binding& binding = assembly.find(expression.name);
  if (binding.origin != Binding::Origin::source) return;
  if (const auto values = build_->interval(key)) assembly.want_only(binding, *values);
}

// The partner of each live row: a row number, or a run's.
Operand ProbeStep::probe(Assembly& assembly) {
  program::Builder& builder = assembly.builder();
  std::vector<KeyColumn> keys = compile_keys(expressions_, assembly, node_->group(keys_));
  const KeyLayout& layout = build_->layout();
  Operand rows = builder.live();
  for (size_t k = 0; k < keys.size(); ++k) {
    const KeyLayout::Field& field = layout.fields[k];
    restrict_source(assembly, k);
    const Value& value = keys[k].value;
    // A null finds nothing, unless nulls are keys and the build side has some.
    if (!nulls_equal_ || (layout.form != KeyLayout::Form::bytes && !field.nullable))
      rows = builder.mask_and(rows, value.valid);
    if (layout.form == KeyLayout::Form::bytes || !program::is_whole(value.type)) continue;
    // What no build row has must not be packed: it would spill into other fields.
    if (value.interval && value.interval->low >= field.base && value.interval->high <= field.high) continue;
    const Operand inside = builder.range(value, static_cast<int64>(field.base), static_cast<int64>(field.high)).operand;
    rows = builder.mask_and(
        rows, field.nullable && value.valid ? builder.mask_or(inside, builder.mask_not(value.valid)) : inside);
  }
  const Operand key = execute::pack(assembly, layout, keys, rows);
  const int slot = assembly.add_slot(
      "join table",
      [build = build_](Context& context) { return std::make_unique<TableSlot>(build, build->on_host(context)); },
      [build = build_](Context& context) { return primitives::DeviceSlot{.table = build->on_device(context)}; });
  return builder.append({.op = Op::probe,
                         .type = Type::row,
                         .from = layout.type(),
                         .slot = static_cast<int16>(slot),
                         .a = key,
                         .c = rows},
                        Type::row);
}

// The scope becomes the columns of the join's result.
void ProbeStep::rename(Assembly& assembly, Operand rows) {
  std::vector<Binding> made;
  for (const Output& output : outputs_) {
    Binding binding;
    if (output.of_build) {
      const auto& schema = build_->side()->schema;
      const auto found =
          std::find_if(schema.begin(), schema.end(), [&](const auto& f) { return f.name == output.column; });
      FZ_CHECK(found != schema.end());
      binding.type = found->type;
      binding.origin = Binding::Origin::build;
      binding.column = static_cast<int>(found - schema.begin());
      binding.build = build_->side();
      binding.build_row = rows;
      binding.optional = kind_ == JoinKind::left;
    } else {
      binding = assembly.find(output.column);
    }
    binding.name = output.name;
    made.push_back(std::move(binding));
  }
  assembly.scope() = std::move(made);
}

void ProbeStep::filter_residual(Assembly& assembly) {
  for (const plan::Named& predicate : node_->group("predicate")) expressions_.filter(assembly, *predicate.expression);
  assembly.count_rows();
}

void ProbeStep::emit(Assembly& assembly) {
  assembly.enter_node(number_);
  program::Builder& builder = assembly.builder();
  const Operand rows = probe(assembly);
  if (kind_ != JoinKind::left) {
    Operand matched = builder.append({.op = Op::matched, .type = Type::mask, .a = rows}, Type::mask);
    builder.filter_mask(kind_ == JoinKind::anti ? builder.mask_not(matched) : matched);
  }
  rename(assembly, rows);
  assembly.builder().compact_here();
  filter_residual(assembly);
}

void ProbeStep::prepare(Assembly& assembly) {
  assembly.enter_node(number_);
  program::Builder& builder = assembly.builder();
  const Operand runs = probe(assembly);
  if (kind_ == JoinKind::inner) {
    builder.filter_mask(builder.append({.op = Op::matched, .type = Type::mask, .a = runs}, Type::mask));
  }
  rename(assembly, runs);
  materialise_ = {};
  materialise_.prepare(assembly, assembly.scope(), runs);
  facts_ = materialise_.facts(assembly);
}

void ProbeStep::resume(Assembly& assembly) {
  assembly.enter_node(number_);
  filter_residual(assembly);
}

namespace {

class ProbeLane : public execute::LaneEnd {
 public:
  explicit ProbeLane(std::unique_ptr<execute::MaterialiseLane> lane, execute::Runs runs)
      : lane_(std::move(lane)), runs_(runs) {}
  void begin(Context& context, const columns::Batch& batch) override { lane_->begin(context, batch); }
  void end(Context&, const columns::Batch& batch) override {
    batch_ = batch;
    position_ = {};
  }
  std::optional<columns::Batch> take(Context& context) {
    columns::Batch piece = lane_->take(context, batch_, runs_, position_);
    if (piece.rows > 0) return piece;
    batch_ = {};
    return std::nullopt;
  }

 private:
  std::unique_ptr<execute::MaterialiseLane> lane_;
  execute::Runs runs_;
  columns::Batch batch_;
  execute::Position position_;
};

}  // namespace

std::unique_ptr<execute::LaneEnd> ProbeStep::start(Context& context, const std::vector<execute::SlotState*>& slots) {
  return std::make_unique<ProbeLane>(materialise_.start(context, slots), build_->runs(context));
}

std::optional<columns::Batch> ProbeStep::next(Context& context, execute::LaneEnd& lane) {
  return static_cast<ProbeLane&>(lane).take(context);
}

void ProbeStep::take(Context& context, const columns::Batch& source, primitives::DeviceRows made) {
  const auto table = build_->on_device(context);
  taken_ =
      execute::device_source(materialise_.schema(), materialise_.take(context, source, std::move(made), table.get()));
}

// --- the node --------------------------------------------------------------------------------------------------------

namespace {

std::optional<JoinKind> kind_of(const plan::Node& node) {
  const std::string how = node.word("how");
  // Without keys all rows have the same one.
  if (how == "inner" || how == "cross") return JoinKind::inner;
  // A right join is a left one whose left side makes the table.
  if (how == "left" || how == "right") return JoinKind::left;
  if (how == "semi") return JoinKind::semi;
  if (how == "anti") return JoinKind::anti;
  return std::nullopt;
}

// Keys of unlike dtypes arrive under a cast.
bool is_key(const std::vector<plan::Named>& keys, const std::string& name) {
  return std::any_of(keys.begin(), keys.end(), [&](const plan::Named& key) {
    const plan::Expression* inner = key.expression.get();
    while (inner->kind == plan::Expression::Kind::call && inner->name == "cast") inner = inner->arguments[0].get();
    return inner->kind == plan::Expression::Kind::column && inner->name == name;
  });
}

// The result's columns as Polars names them: left ones, then right ones, with a suffix where taken; without the keys
// that are coalesced, which are those of the right side, or of the left side of a right join.
std::vector<ProbeStep::Output> outputs_of(const plan::Node& node, bool builds_left) {
  const std::string how = node.word("how");
  std::vector<ProbeStep::Output> outputs;
  auto left_out = [&](const char* side, const std::string& name) {
    return node.flag("coalesce") && (how == "right") == (side[0] == 'l') && is_key(node.group(side), name);
  };
  for (const auto& field : node.inputs[0]->schema) {
    if (!left_out("left", field.name)) outputs.push_back({field.name, field.name, builds_left});
  }
  if (how == "semi" || how == "anti") return outputs;
  const size_t left = outputs.size();
  for (const auto& field : node.inputs[1]->schema) {
    if (left_out("right", field.name)) continue;
    const bool taken = std::any_of(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(left),
                                   [&](const auto& o) { return o.name == field.name; });
    outputs.push_back({taken ? field.name + node.word("suffix", "_right") : field.name, field.name, !builds_left});
  }
  return outputs;
}

bool names_agree(const plan::Node& node) {
  const auto outputs = outputs_of(node, false);
  return outputs.size() == node.schema.size() &&
         std::all_of(node.schema.begin(), node.schema.end(), [&](const auto& field) {
           return std::any_of(outputs.begin(), outputs.end(), [&](const auto& o) { return o.name == field.name; });
         });
}

// Whether the order of rows that is asked for, if any, is that of a side first.
bool is_ordered_by(const plan::Node& node, const std::string& side) {
  return node.word("maintain_order", "none").starts_with(side);
}
bool keeps_order(const plan::Node& node) {
  if (is_ordered_by(node, "none")) return true;
  const std::string how = node.word("how");
  return how == "inner" || is_ordered_by(node, how == "right" ? "right" : "left");
}

void check(lower::Checker& checker, const plan::Node& node) {
  if (!kind_of(node))
    return checker.refuse("join_kind", "joins of kind \"" + node.word("how") + "\" are not supported yet");
  if (!names_agree(node)) checker.refuse("join_columns", "the columns of this join are not as expected");
  if (!node.group("predicate").empty() && kind_of(node) != JoinKind::inner) {
    checker.refuse("join_predicate", "a predicate on a join that is not inner is not supported yet");
  }
  checker.group("left");
  checker.group("right");
  checker.group("predicate");
  const auto &left = node.group("left"), &right = node.group("right");
  for (size_t k = 0; k < left.size() && k < right.size(); ++k) {
    const columns::DataType &a = left[k].expression->type, &b = right[k].expression->type;
    if (lower::widest_type(a) == Type::none || !lower::same_numbers(a, b)) {
      checker.refuse("key_dtype", "join keys of " + a.name() + " and " + b.name() + " are not supported yet",
                     left[k].expression->text());
    }
  }
  if (!keeps_order(node)) {
    checker.refuse("join_order", "maintain_order=\"" + node.word("maintain_order") + "\" is not supported yet");
  }
}

// Rows that are fewer make the table; others keep their order.
bool builds_left(const plan::Node& node, const lower::Open& left, const lower::Open& right) {
  if (node.word("how") != "inner") return node.word("how") == "right";
  return is_ordered_by(node, "right") || (is_ordered_by(node, "none") && left.rows < right.rows);
}

lower::Open lower_join(lower::Lowering& lowering, const plan::NodePtr& node) {
  const int number = lowering.number(node);
  lower::Open left = lowering.lower(node->inputs[0]), right = lowering.lower(node->inputs[1]);
  const bool nulls_equal = node->flag("nulls_equal");
  const bool swap = builds_left(*node, left, right);
  lower::Open &build = swap ? left : right, &probe = swap ? right : left;
  double rows = *kind_of(*node) == JoinKind::left ? probe.rows : probe.rows / 2;
  if (node->word("how") == "cross") rows = probe.rows * std::max(build.rows, 1.0);
  const bool only_matches = *kind_of(*node) == JoinKind::semi || *kind_of(*node) == JoinKind::anti;
  auto sink =
      std::make_shared<BuildSink>(lowering.expressions(), node, swap ? "left" : "right", nulls_equal, only_matches);
  lower::SourceMaker make_build = lowering.close(std::move(build), sink, node);
  probe.steps.push_back(std::make_shared<ProbeStep>(lowering.expressions(), node, number, *kind_of(*node),
                                                    swap ? "right" : "left", nulls_equal, sink, make_build,
                                                    outputs_of(*node, swap)));
  probe.rows = rows;
  return std::move(probe);
}

}  // namespace

extern const lower::Operator join_operator;
const lower::Operator join_operator{
    "join", "Joins on equal keys: inner, left, right, semi and anti; and of all rows with all.", check, lower_join};

}  // namespace frazil::operators
