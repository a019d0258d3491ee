#include "operators/group_by/group_by.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "base/error.hpp"
#include "execute/order.hpp"
#include "execute/resident.hpp"
#include "execute/scheduler.hpp"
#include "lower/rules.hpp"
#include "primitives/move.hpp"

namespace frazil::operators {

using columns::TypeId;
using execute::Assembly;
using execute::Binding;
using execute::Context;
using execute::KeyColumn;
using execute::KeyLayout;
using execute::LaneEnd;
using execute::SlotState;
using lower::CellKind;
using primitives::cpu::GroupState;
using primitives::cpu::GroupTable;
using program::Op;
using program::RegisterView;
using program::Type;
using program::Value;

namespace {

constexpr int kDirectBits = 12, kDirectBitsMost = 20;  // groups are array places: see suits_arrays
constexpr int kPartitionBits = 6;
constexpr uint32_t kFewGroups = 1 << 12;  // not worth partitions
constexpr int128 kMost = static_cast<int128>(~uint128{0} >> 1);
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class CellSlot : public SlotState {
 public:
  CellSlot(const CellPlan& plan, int copies, memory::PoolPtr pool) : cells(plan, copies, std::move(pool)) {}
  void* state() override { return &cells.array(); }
  CellColumn cells;
};

// The group table of a lane; its cells follow its size.
class GroupSlot : public SlotState, public GroupState {
 public:
  GroupSlot(const KeyLayout& layout, const memory::PoolPtr& pool) {
    if (layout.form == KeyLayout::Form::narrow) narrow = std::make_unique<GroupTable<uint64>>(pool, "group_by");
    if (layout.form == KeyLayout::Form::wide) wide = std::make_unique<GroupTable<uint128>>(pool, "group_by");
    if (layout.form == KeyLayout::Form::bytes) text = std::make_unique<GroupTable<RegisterView>>(pool, "group_by");
  }
  void* state() override { return static_cast<GroupState*>(this); }
  void grow_cells() override {
    for (CellColumn* cell : cells) cell->grow(size());
  }
  std::vector<CellColumn*> cells;
};

class GroupLane : public LaneEnd {
 public:
  void begin(Context& context, const columns::Batch& batch) override {
    if (segments) segments->begin(context, batch);
  }
  void end(Context& context, const columns::Batch& batch) override {
    if (segments) segments->end(context, batch);
  }
  GroupSlot* groups = nullptr;
  std::vector<CellSlot*> cell_slots;
  std::unique_ptr<SegmentLane> segments;  // null: no aggregate needs them
};

// The dtype under which an accumulator is read by the step that makes the results.
columns::DataType dtype_of(Type type) {
  switch (type) {
    case Type::u64: return columns::simple(TypeId::uint64);
    case Type::i128: return columns::simple(TypeId::int128);
    case Type::f32: return columns::simple(TypeId::float32);
    case Type::f64: return columns::simple(TypeId::float64);
    default: return columns::simple(TypeId::int64);
  }
}

template <class Key>
GroupTable<Key>& table_of(GroupState& state) {
  if constexpr (std::is_same_v<Key, uint64>) return *state.narrow;
  else if constexpr (std::is_same_v<Key, uint128>) return *state.wide;
  else return *state.text;
}

}  // namespace

GroupBySink::GroupBySink(const lower::Expressions& expressions, plan::NodePtr node, int number)
    : expressions_(expressions),
      node_(std::move(node)),
      number_(number),
      aggregates_(lower::split_aggregates(expressions, node_->group("aggregates"))),
      segments_(expressions, aggregates_.segmented) {}

namespace {

// After a 1:N join nobody knows the rows, but 2^40 is more than a pipeline of 32-bit row numbers brings.
int64_t max_rows(const Assembly& assembly) {
  return assembly.facts().rows >= 0 ? assembly.facts().rows : int64_t{1} << 40;
}

// Whether no partial sum of `rows` values can be larger than `most`.
bool sum_fits(const Value& value, int64_t rows, int128 most) {
  most /= std::max<int64_t>(rows, 1);
  return value.interval && value.interval->low >= -most && value.interval->high <= most;
}

// The accumulator that provably holds what a cell gathers over `rows` rows.
Type accumulator(CellKind kind, const Value& value, int64_t rows) {
  if (kind == CellKind::count || kind == CellKind::count_all) return Type::i64;
  if (kind == CellKind::magnitude) return Type::f64;
  if (program::is_float(value.type)) return kind == CellKind::add ? Type::f64 : value.type;
  if (kind != CellKind::add) {
    if (value.type == Type::u64 || value.type == Type::i128) return value.type;
    return Type::i64;
  }
  return sum_fits(value, rows, INT64_MAX) ? Type::i64 : Type::i128;
}

}  // namespace

void GroupBySink::plan_cells(Assembly& assembly) {
  const int64_t rows = max_rows(assembly);
  cells_.clear();
  cell_of_request_->clear();
  for (const lower::CellRequest& request : aggregates_.cells) {
    CellPlan cell{.kind = request.kind, .value = {}};
    if (request.argument) {
      cell.value = expressions_.compile(assembly, *request.argument);
      if (cell.value.is_literal()) {
        cell.value.operand = assembly.builder().append(
            {.op = Op::convert, .type = cell.value.type, .from = cell.value.type, .a = cell.value.operand},
            cell.value.type);
      }
      if (cell.kind == CellKind::rounded) {
        cell.kind = CellKind::add;
        if (!sum_fits(cell.value, rows, kMost)) cell.value = assembly.builder().convert(cell.value, Type::f64);
      }
      cell.from = cell.value.type;
    }
    cell.type = accumulator(cell.kind, cell.value, rows);
    cell_of_request_->push_back(place_cell(assembly.builder(), cell, rows));
  }
  sums_floats_ = std::any_of(cells_.begin(), cells_.end(), [](const CellPlan& cell) {
    return cell.kind == CellKind::add && program::is_float(cell.value.type);
  });
}

// Where the accumulator of a request is: a count of what is never null is a count of rows, and where the exact sum is
// proven to fit, its magnitude is not needed.
int GroupBySink::place_cell(program::Builder& builder, CellPlan& cell, int64_t rows) {
  if (cell.kind == CellKind::magnitude && accumulator(CellKind::add, cell.value, rows) == Type::i64) return -1;
  if (cell.kind == CellKind::add && cell.value.type == Type::mask) {
    // The sum of truths counts the true ones.
    cell.kind = CellKind::count;
    cell.value.valid = builder.mask_and(cell.value.valid, cell.value.operand);
    cell.value.operand = {};
    cell.type = Type::i64;
  }
  if (cell.kind == CellKind::count && !cell.value.valid) cell.kind = CellKind::count_all;
  if (cell.kind == CellKind::count_all) cell.value = {};
  for (size_t c = 0; c < cells_.size(); ++c) {
    if (cells_[c].kind == cell.kind && cells_[c].value.operand == cell.value.operand &&
        cells_[c].value.valid == cell.value.valid) {
      return static_cast<int>(c);
    }
  }
  cells_.push_back(cell);
  return static_cast<int>(cells_.size() - 1);
}

std::vector<KeyColumn> GroupBySink::compile_keys(Assembly& assembly) const {
  std::vector<KeyColumn> keys;
  for (const plan::Named& key : node_->group("keys")) {
    KeyColumn column{key.name, key.expression->type, {}, nullptr};
    const bool is_column = key.expression->kind == plan::Expression::Kind::column;
    if (auto codes = is_column ? assembly.codes(assembly.find(key.expression->name)) : std::nullopt) {
      column.value = codes->value;
      column.value.interval = columns::Interval{0, std::max<int64_t>(codes->dictionary->rows - 1, 0)};
      column.dictionary = codes->dictionary;
    } else {
      column.value = expressions_.compile(assembly, *key.expression);
    }
    keys.push_back(std::move(column));
  }
  return keys;
}

// Whether each lane gets an array with a place for every possible key: there are few, or even all these arrays have
// far fewer places than there are rows.
bool GroupBySink::suits_arrays(const Assembly& assembly) const {
  if (layout_.form != KeyLayout::Form::narrow) return false;
  if (layout_.bits <= kDirectBits) return true;
  const Context& context = assembly.context();
  if (context.resident || layout_.bits > kDirectBitsMost) return false;
  const bool may_share = std::any_of(aggregates_.cells.begin(), aggregates_.cells.end(), [](const auto& cell) {
    return cell.kind == CellKind::rounded || (cell.argument && cell.argument->type.is_float());
  });
  const int64_t lanes = may_share ? execute::kShares : context.scheduler->threads();
  constexpr int64_t kRowsPerPlace = 4;
  return (int64_t{1} << layout_.bits) * lanes * kRowsPerPlace <= assembly.facts().rows;
}

program::Operand GroupBySink::group_numbers(Assembly& assembly, const std::vector<KeyColumn>& keys) {
  layout_ = execute::lay_out(keys, true, false);
  if (keys.empty()) {
    variant_ = Variant::one_group;
    return {};
  }
  const program::Operand key = execute::pack(assembly, layout_, keys, assembly.builder().live());
  // On a device what is emitted beside groups goes by their places in a table.
  const bool emits_places = assembly.context().resident && !segments_.empty();
  variant_ = suits_arrays(assembly) && !emits_places ? Variant::direct : Variant::hash;
  if (variant_ == Variant::direct) {
    return assembly.builder().convert({key, Type::u64, program::kAll, std::nullopt}, Type::row).operand;
  }
  group_slot_ = assembly.add_slot(
      "groups", [layout = layout_](Context& context) { return std::make_unique<GroupSlot>(layout, context.pool); });
  return assembly.builder().append({.op = Op::group,
                                    .type = Type::row,
                                    .from = layout_.type(),
                                    .slot = static_cast<int16>(group_slot_),
                                    .a = key,
                                    .c = assembly.builder().live()},
                                   Type::row);
}

// Keys hold one zero only, and groups have no order: where that matters, the smallest place of a row goes along.
void GroupBySink::remember_first(Assembly& assembly, const std::vector<KeyColumn>& keys) {
  program::Builder& builder = assembly.builder();
  first_row_ = -1;
  signs_.clear();
  auto add_cell = [&](program::Operand value, Type type) {
    cells_.push_back({.kind = CellKind::min, .type = type, .from = type, .value = {value, type, program::kAll, {}}});
    return first_row_ = static_cast<int>(cells_.size()) - 1;
  };
  const bool any_float = std::any_of(keys.begin(), keys.end(), [](const KeyColumn& k) { return k.type.is_float(); });
  if (!any_float && (keys.empty() || !node_->flag("maintain_order"))) return;
  const program::Operand position = builder.append({.op = Op::position, .type = Type::i64}, Type::i64);
  for (size_t k = 0; k < keys.size(); ++k) {
    if (!keys[k].type.is_float()) continue;
    // Of zeros only -0.0 has a reciprocal below zero.
    const Type type = keys[k].value.type;
    const Value reciprocal = builder.map(expressions_.functions().id_of("divide"), type, type,
                                         {builder.real(1, type), keys[k].value}, std::nullopt);
    const Value negative = builder.range_real(reciprocal, -kInfinity, -kInfinity);
    const std::vector<program::KeyField> fields = {
        {.value = negative.operand, .type = Type::mask, .bits = 1, .states = 2},
        {.value = position, .type = Type::i64, .shift = 1, .bits = 63}};
    const auto list = static_cast<int16>(builder.add_list(fields));
    signs_.push_back(
        {k, add_cell(builder.append({.op = Op::pack_key, .type = Type::u64, .list = list}, Type::u64), Type::u64)});
  }
  if (!any_float) add_cell(position, Type::i64);
}

void GroupBySink::add_cells(Assembly& assembly, program::Operand groups) {
  program::Builder& builder = assembly.builder();
  const int copies = variant_ == Variant::direct && layout_.bits <= 8 ? 4 : 1;
  for (CellPlan& cell : cells_) {
    static constexpr Op kOps[] = {Op::cell_add,   Op::cell_min,   Op::cell_max,
                                  Op::cell_count, Op::cell_count, Op::cell_add};
    static constexpr const char* kNames[] = {"sum", "min", "max", "count", "len", "magnitude"};
    const int kind = static_cast<int>(cell.kind);
    cell.slot = assembly.add_slot(kNames[kind], [plan = cell, copies](Context& context) {
      return std::make_unique<CellSlot>(plan, copies, context.pool);
    });
    program::Instruction add{.op = kOps[kind],
                             .type = cell.type,
                             .slot = static_cast<int16>(cell.slot),
                             .b = groups,
                             .c = builder.mask_and(builder.live(), cell.value.valid)};
    if (add.op != Op::cell_count) {
      add.from = cell.from;
      add.a = cell.value.operand;
    }
    builder.append(add, Type::none);
  }
}

void GroupBySink::prepare(Assembly& assembly) {
  pool_ = assembly.context().pool;
  assembly.enter_node(number_);
  const std::vector<KeyColumn> keys = compile_keys(assembly);
  const program::Operand groups = group_numbers(assembly, keys);
  plan_cells(assembly);
  remember_first(assembly, keys);
  if (variant_ == Variant::direct) {
    occurrence_ = -1;
    for (size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].kind == CellKind::count_all) occurrence_ = static_cast<int>(c);
    }
    if (occurrence_ < 0) {
      occurrence_ = static_cast<int>(cells_.size());
      cells_.push_back({.kind = CellKind::count_all, .value = {}});
    }
  }
  add_cells(assembly, groups);
  segments_.prepare(assembly, groups);
}

std::unique_ptr<LaneEnd> GroupBySink::start(Context& context, const std::vector<SlotState*>& slots) {
  auto lane = std::make_unique<GroupLane>();
  lane->segments = segments_.start(context, slots);
  for (const CellPlan& cell : cells_) {
    lane->cell_slots.push_back(static_cast<CellSlot*>(slots[static_cast<size_t>(cell.slot)]));
    if (variant_ == Variant::one_group) lane->cell_slots.back()->cells.grow(1);
    if (variant_ == Variant::direct) lane->cell_slots.back()->cells.grow(int64_t{1} << layout_.bits);
  }
  if (variant_ == Variant::hash) {
    lane->groups = static_cast<GroupSlot*>(slots[static_cast<size_t>(group_slot_)]);
    for (CellSlot* slot : lane->cell_slots) lane->groups->cells.push_back(&slot->cells);
  }
  return lane;
}

std::string GroupBySink::device_lacks(const execute::Facts&) const {
  if (first_row_ >= 0) return "groups that are told from their first rows";
  return segments_.device_lacks();
}

void GroupBySink::describe(primitives::DeviceRun& run) const {
  for (const CellPlan& cell : cells_) run.cells.push_back(cell.slot);
  if (variant_ == Variant::direct) run.groups = int64_t{1} << layout_.bits;
  if (variant_ == Variant::hash && layout_.form == KeyLayout::Form::narrow) run.key_bits = layout_.bits;
}

void GroupBySink::take(Context& context, const columns::Batch& source, primitives::DeviceRows made) {
  batches_.clear();
  if (variant_ == Variant::hash) {
    const bool stays = layout_.form == KeyLayout::Form::narrow && signs_.empty();
    batches_ = {stays ? device_groups(context, made) : host_groups(context, made)};
  } else {
    std::vector<CellColumn> totals;
    for (size_t c = 0; c < cells_.size(); ++c) {
      totals.emplace_back(cells_[c], 1, pool_);
      totals.back().grow(variant_ == Variant::one_group ? 1 : int64_t{1} << layout_.bits);
      std::memcpy(totals.back().array().data, made.cells[c].data(), made.cells[c].size());
    }
    keep_present(totals);
  }
  if (!segments_.empty()) {
    columns::Batch& groups = batches_.front();
    for (columns::Column& column : segments_.take(context, source, std::move(made), groups.rows)) {
      groups.columns.push_back(execute::is_on_device(groups) ? column : context.resident->download(context, column));
    }
  }
  if (node_->flag("maintain_order")) order_by_first_row(context);
}

// Groups stay where they were made.
columns::Batch GroupBySink::device_groups(Context& context, const primitives::DeviceRows& made) const {
  primitives::Device& device = context.resident->device();
  columns::Batch batch{made.groups, {}};
  for (const KeyLayout::Field& field : layout_.fields) {
    columns::Column column = execute::key_column(field, made.groups);
    device.unpack_key(made.group_arrays[0],
                      {field.value_type, field.nullable, field.shift, field.bits, static_cast<int64_t>(field.base)},
                      column);
    batch.columns.push_back(std::move(column));
  }
  for (size_t c = 0; c < cells_.size(); ++c) {
    columns::Column column = CellColumn::layout(cells_[c].type, made.groups, dtype_of(cells_[c].type));
    column.values = made.group_arrays[c + 1];
    if (column.type.is_integer() && column.physical == columns::Physical::w8) column.interval = device.interval(column);
    batch.columns.push_back(std::move(column));
  }
  return batch;
}

// Keys that are not one number of 64 bits, or have signs to restore, are unpacked on the host.
columns::Batch GroupBySink::host_groups(Context& context, const primitives::DeviceRows& made) const {
  columns::Column keys;
  keys.rows = made.groups;
  keys.values = made.group_arrays[0];
  keys.characters = made.characters;
  keys.physical = layout_.form == KeyLayout::Form::narrow ? columns::Physical::w8
                  : layout_.form == KeyLayout::Form::wide ? columns::Physical::w16
                                                          : columns::Physical::view;
  keys.type = columns::simple(layout_.form == KeyLayout::Form::bytes ? TypeId::binary : TypeId::uint128);
  keys = context.resident->download(context, keys);
  columns::Batch batch{made.groups, {}};
  if (layout_.form == KeyLayout::Form::narrow) {
    batch.columns = execute::unpack(layout_, keys.values.as<uint64>(), made.groups, pool_);
  } else if (layout_.form == KeyLayout::Form::wide) {
    batch.columns = execute::unpack(layout_, keys.values.as<uint128>(), made.groups, pool_);
  } else {
    std::vector<RegisterView> views(static_cast<size_t>(made.groups));
    for (int64_t row = 0; row < made.groups; ++row) {
      const std::string_view text = columns::text_at(keys, row);
      views[static_cast<size_t>(row)] = program::view_of(text.data(), static_cast<uint32>(text.size()));
    }
    batch.columns = execute::unpack(layout_, views.data(), made.groups, pool_);
  }
  for (size_t c = 0; c < cells_.size(); ++c) {
    columns::Column column = CellColumn::layout(cells_[c].type, made.groups, dtype_of(cells_[c].type));
    column.values = made.group_arrays[c + 1];
    column = context.resident->download(context, column);
    if (column.type.is_integer() && column.rows > 0) column.interval = columns::measure_interval(column);
    batch.columns.push_back(std::move(column));
  }
  restore_signs(batch);
  return batch;
}

columns::Batch GroupBySink::batch_of(const std::vector<columns::Column>& keys, const std::vector<CellColumn>& cells,
                                     int64_t rows, const std::vector<uint32_t>* groups) const {
  columns::Batch batch{rows, keys};
  for (const CellColumn& cell : cells) {
    columns::Column column = cell.column(rows, groups, dtype_of(cell.type()));
    if (column.type.is_integer() && rows > 0) column.interval = columns::measure_interval(column);
    batch.columns.push_back(std::move(column));
  }
  restore_signs(batch);
  return batch;
}

namespace {

template <class Float>
void negate_zeros(const columns::Column& first, int64_t rows, columns::Column& key) {
  auto* values = key.values.mutable_as<Float>();
  for (int64_t row = 0; row < rows; ++row) {
    if (values[row] == 0 && first.values.as<uint64>()[row] & 1) values[row] = -values[row];
  }
}

}  // namespace

// A zero that came first as -0.0 is shown as that.
void GroupBySink::restore_signs(columns::Batch& batch) const {
  const size_t keys = node_->group("keys").size();
  for (const Sign& sign : signs_) {
    columns::Column& key = batch.columns[sign.key];
    const columns::Column& first = batch.columns[keys + static_cast<size_t>(sign.cell)];
    if (key.type.id == TypeId::float32) negate_zeros<float>(first, batch.rows, key);
    if (key.type.id == TypeId::float64) negate_zeros<double>(first, batch.rows, key);
  }
}

void GroupBySink::merge_direct(std::vector<std::unique_ptr<LaneEnd>>& lanes) {
  auto& first = static_cast<GroupLane&>(*lanes[0]);
  std::vector<CellColumn> merged;
  for (CellSlot* slot : first.cell_slots) slot->cells.fold_copies();
  const int64_t groups = variant_ == Variant::one_group ? 1 : int64_t{1} << layout_.bits;
  std::vector<uint32_t> all(static_cast<size_t>(groups));
  std::iota(all.begin(), all.end(), 0);
  for (size_t l = 1; l < lanes.size(); ++l) {
    auto& lane = static_cast<GroupLane&>(*lanes[l]);
    for (size_t c = 0; c < cells_.size(); ++c) {
      lane.cell_slots[c]->cells.fold_copies();
      first.cell_slots[c]->cells.combine(lane.cell_slots[c]->cells, all, all);
    }
  }
  for (CellSlot* slot : first.cell_slots) merged.push_back(std::move(slot->cells));
  const std::vector<uint32_t> present = keep_present(merged);
  std::vector<uint32_t> place(static_cast<size_t>(groups));
  for (uint32_t row = 0; row < present.size(); ++row) place[present[row]] = row;
  places_.assign(lanes.size(), place);
}

// The batch of the groups that have rows; their numbers.
std::vector<uint32_t> GroupBySink::keep_present(const std::vector<CellColumn>& merged) {
  if (variant_ == Variant::one_group) {
    batches_.push_back(batch_of({}, merged, 1, nullptr));
    return {0};
  }
  std::vector<uint32_t> present;
  std::vector<uint64> keys;
  const auto* rows_of = static_cast<const int64*>(merged[static_cast<size_t>(occurrence_)].array().data);
  for (int64_t g = 0; g < int64_t{1} << layout_.bits; ++g) {
    if (rows_of[g] == 0) continue;
    present.push_back(static_cast<uint32_t>(g));
    keys.push_back(static_cast<uint64>(g));
  }
  const auto rows = static_cast<int64_t>(present.size());
  batches_.push_back(batch_of(execute::unpack(layout_, keys.data(), rows, pool_), merged, rows, &present));
  return present;
}

// The groups of one lane by partition of their hash, in group order: those of partition p are from start[p] up to
// start[p + 1]. Keys and hashes lie beside them, so that a partition reads its own bytes only.
template <class Key>
struct GroupBySink::Partitioned {
  std::vector<uint32_t> start, groups;
  std::vector<Key> keys;
  std::vector<uint64> hashes;
  memory::Reservation reservation;

  std::span<const uint32_t> of(size_t p) const { return {groups.data() + start[p], start[p + 1] - start[p]}; }

  Partitioned() = default;
  Partitioned(const GroupTable<Key>& table, int bits, const memory::PoolPtr& pool) : reservation(pool, "group_by") {
    constexpr auto kBytes = static_cast<int64_t>(sizeof(Key) + sizeof(uint64) + sizeof(uint32_t));
    reservation.resize(table.size() * kBytes);
    groups.resize(table.size());
    keys.resize(table.size());
    hashes.resize(table.size());
    auto part = [&](uint64 hash) { return bits == 0 ? 0 : hash >> (64 - bits); };
    start.assign((size_t{1} << bits) + 1, 0);
    for (uint64 hash : table.hashes()) ++start[part(hash) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<uint32_t> next(start.begin(), start.end() - 1);
    for (uint32_t g = 0; g < table.size(); ++g) {
      const uint64 hash = table.hashes()[g];
      const uint32_t at = next[part(hash)]++;
      groups[at] = g;
      keys[at] = table.keys()[g];
      hashes[at] = hash;
    }
  }
};

template <class Key>
void GroupBySink::merge_hash(Context& context, std::vector<std::unique_ptr<LaneEnd>>& lanes) {
  uint32_t most = 0;
  for (auto& lane : lanes) most = std::max(most, static_cast<GroupLane&>(*lane).groups->size());
  const int bits = most < kFewGroups ? 0 : kPartitionBits;
  std::vector<Partitioned<Key>> parts(lanes.size());
  places_.resize(lanes.size());
  context.scheduler->run(context, static_cast<int64_t>(lanes.size()), [&](int, int64_t l) {
    auto& lane = static_cast<GroupLane&>(*lanes[static_cast<size_t>(l)]);
    parts[static_cast<size_t>(l)] = {table_of<Key>(*lane.groups), bits, pool_};
    if (!segments_.empty()) places_[static_cast<size_t>(l)].resize(lane.groups->size());
  });
  std::vector<columns::Batch> made(size_t{1} << bits);
  context.scheduler->run(context, static_cast<int64_t>(made.size()), [&](int, int64_t p) {
    made[static_cast<size_t>(p)] = merge_partition(lanes, parts, static_cast<size_t>(p));
  });
  uint32_t rows_before = 0;
  for (size_t p = 0; p < made.size(); ++p) {
    for (size_t l = 0; l < lanes.size() && !segments_.empty(); ++l) {
      for (uint32_t g : parts[l].of(p)) places_[l][g] += rows_before;
    }
    rows_before += static_cast<uint32_t>(made[p].rows);
    if (made[p].rows > 0) batches_.push_back(std::move(made[p]));
  }
}

template <class Key>
columns::Batch GroupBySink::merge_partition(std::vector<std::unique_ptr<LaneEnd>>& lanes,
                                            const std::vector<Partitioned<Key>>& parts, size_t p) {
  constexpr uint32_t kAhead = 16;  // groups whose slots are on their way from memory
  GroupTable<Key> table(pool_, "group_by");
  for (const Partitioned<Key>& part : parts) table.reserve(table.size() + part.of(p).size());
  std::vector<CellColumn> cells;
  for (const CellPlan& cell : cells_) cells.emplace_back(cell, 1, pool_);
  std::vector<uint32_t> places;
  for (size_t l = 0; l < lanes.size(); ++l) {
    const Partitioned<Key>& part = parts[l];
    const std::span<const uint32_t> groups = part.of(p);
    places.resize(groups.size());
    for (uint32_t i = 0, at = part.start[p]; i < groups.size(); ++i, ++at) {
      if (i + kAhead < groups.size()) table.prefetch(part.hashes[at + kAhead]);
      places[i] = table.find_or_insert(part.keys[at], part.hashes[at]);
      if (!segments_.empty()) places_[l][groups[i]] = places[i];
    }
    for (size_t c = 0; c < cells.size(); ++c) {
      cells[c].grow(table.size());
      cells[c].combine(static_cast<GroupLane&>(*lanes[l]).cell_slots[c]->cells, groups, places);
    }
  }
  return batch_of(execute::unpack(layout_, table.keys().data(), table.size(), pool_), cells, table.size(), nullptr);
}

void GroupBySink::merge(Context& context, std::vector<std::unique_ptr<LaneEnd>> lanes) {
  batches_.clear();
  places_.clear();
  if (variant_ != Variant::hash) {
    merge_direct(lanes);
  } else if (layout_.form == KeyLayout::Form::narrow) {
    merge_hash<uint64>(context, lanes);
  } else if (layout_.form == KeyLayout::Form::wide) {
    merge_hash<uint128>(context, lanes);
  } else {
    merge_hash<RegisterView>(context, lanes);
  }
  if (!segments_.empty()) {
    std::vector<SegmentLane*> rows;
    for (auto& lane : lanes) rows.push_back(static_cast<GroupLane&>(*lane).segments.get());
    segments_.finish(context, rows, places_, batches_);
  }
  if (node_->flag("maintain_order")) order_by_first_row(context);
}

void GroupBySink::order_by_first_row(Context& context) {
  const size_t first_column = node_->group("keys").size() + static_cast<size_t>(first_row_);
  if (batches_.size() == 1 && execute::is_on_device(batches_[0])) {
    const execute::SortKey first{batches_[0].columns[first_column]};
    const auto order = execute::sorted_rows_on_device(context, {&first, 1}, batches_[0].rows);
    batches_[0] = context.resident->gather(batches_[0], *order, batches_[0].rows);
    return;
  }
  columns::Batch all;
  for (const columns::Batch& batch : batches_) all.rows += batch.rows;
  if (all.rows <= 1) return;
  all.columns.resize(batches_[0].columns.size());
  context.scheduler->run(context, static_cast<int64_t>(all.columns.size()), [&](int, int64_t c) {
    std::vector<columns::Column> pieces;
    for (const columns::Batch& batch : batches_) pieces.push_back(batch.columns[static_cast<size_t>(c)]);
    all.columns[static_cast<size_t>(c)] = primitives::concatenate(pieces, pool_);
  });
  batches_.clear();
  const execute::SortKey first{all.columns[first_column]};
  const memory::Buffer order =
      execute::sorted_rows(context, {&first, 1}, all.rows, -1, execute::on_all_threads(context));
  context.scheduler->run(context, static_cast<int64_t>(all.columns.size()), [&](int, int64_t c) {
    columns::Column& column = all.columns[static_cast<size_t>(c)];
    column = primitives::gather(column, order.span<uint32_t>(), pool_);
  });
  batches_.push_back(std::move(all));
}

namespace {

std::string cell_name(size_t c) { return "cell " + std::to_string(c); }

}  // namespace

execute::SourcePtr GroupBySink::finish(Context& context) {
  schema_.clear();
  for (const plan::Named& key : node_->group("keys")) schema_.push_back({key.name, key.expression->type});
  for (size_t c = 0; c < cells_.size(); ++c) schema_.push_back({cell_name(c), dtype_of(cells_[c].type)});
  segments_.add_fields(schema_);
  for (const columns::Batch& batch : batches_) context.nodes[static_cast<size_t>(number_)].rows += batch.rows;
  return execute::table_source(context, schema_, std::move(batches_));
}

namespace {

// Makes the node's columns from keys and accumulators.
class ResultsStep : public execute::Step {
 public:
  ResultsStep(const lower::Expressions& expressions, plan::NodePtr node, int number,
              const lower::Aggregates& aggregates, std::shared_ptr<const std::vector<int>> cell_of_request)
      : expressions_(expressions),
        node_(std::move(node)),
        number_(number),
        aggregates_(aggregates),
        cell_of_request_(std::move(cell_of_request)) {}

  void emit(Assembly& assembly) override {
    assembly.enter_node(number_);
    std::vector<Binding> made;
    for (const plan::Named& key : node_->group("keys")) made.push_back(assembly.find(key.name));
    for (const lower::AggregateCall& call : aggregates_.calls) assembly.scope().push_back(finished(assembly, call));
    for (const plan::Named& output : aggregates_.outputs) {
      const plan::Expression& expression = *output.expression;
      Binding binding;
      if (expression.kind == plan::Expression::Kind::column) {  // made whole, of any dtype
        binding = assembly.find(expression.name);
      } else {
        binding.origin = Binding::Origin::computed;
        binding.value = expressions_.compile(assembly, expression);
        binding.type = expression.type;
      }
      binding.name = output.name;
      made.push_back(std::move(binding));
    }
    assembly.scope() = std::move(made);
  }

 private:
  Binding finished(Assembly& assembly, const lower::AggregateCall& call) const {
    std::vector<Value> values;
    for (int request : call.cells) {
      const int cell = (*cell_of_request_)[static_cast<size_t>(request)];
      values.push_back(cell < 0 ? assembly.builder().real(0)
                                : assembly.load(assembly.find(cell_name(static_cast<size_t>(cell)))));
    }
    std::vector<columns::DataType> types;
    for (const auto& argument : call.call->arguments) types.push_back(argument->type);
    const uint16 id = expressions_.resolve(*call.call);
    const Value value = expressions_.functions().at(id).finish(
        {assembly.builder(), expressions_.functions(), id, types, call.call->type, call.call->payload, values});
    return {.name = call.column, .type = call.call->type, .origin = Binding::Origin::computed, .value = value};
  }

  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  int number_;
  lower::Aggregates aggregates_;
  std::shared_ptr<const std::vector<int>> cell_of_request_;
};

void check(lower::Checker& checker, const plan::Node& node) {
  checker.group("keys");
  for (const plan::Named& key : node.group("keys")) {
    if (lower::widest_type(key.expression->type) == Type::none) {
      checker.refuse("key_dtype", "keys of " + key.expression->type.name() + " are not supported yet",
                     key.expression->text());
    }
  }
  checker.group("aggregates", true);
  checker.aggregated("aggregates");
}

lower::Open lower_group_by(lower::Lowering& lowering, const plan::NodePtr& node) {
  lower::Open open = lowering.lower(node->inputs[0]);
  const double rows = node->group("keys").empty() ? 1 : open.rows / 4;
  auto sink = std::make_shared<GroupBySink>(lowering.expressions(), node, lowering.number(node));
  lower::Open result{lowering.close(std::move(open), sink, node), {}, rows};
  result.steps.push_back(sink->results_step());
  return result;
}

}  // namespace

execute::StepPtr GroupBySink::results_step() const {
  return std::make_shared<ResultsStep>(expressions_, node_, number_, aggregates_, cell_of_request_);
}

extern const lower::Operator group_by_operator;
const lower::Operator group_by_operator{"group_by", "Groups rows by keys and aggregates each group.", check,
                                        lower_group_by};

}  // namespace frazil::operators
