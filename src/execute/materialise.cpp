#include "execute/materialise.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "execute/resident.hpp"
#include "primitives/cpu/tile.hpp"
#include "primitives/move.hpp"

namespace frazil::execute {

using columns::Batch;
using columns::Column;
using columns::Encoding;
using columns::Physical;
using columns::TypeId;
using primitives::cpu::OutputArray;
using program::Op;
using program::RegisterView;
using program::Type;

namespace {

class OutputSlot : public SlotState {
 public:
  explicit OutputSlot(size_t arrays) : arrays_(arrays) {}
  void* state() override { return arrays_.data(); }
  std::vector<OutputArray>& arrays() { return arrays_; }

 private:
  std::vector<OutputArray> arrays_;
};

int bytes_of_array(Type type) { return type == Type::none ? 4 : type == Type::mask ? 1 : program::bytes_of(type); }

memory::Buffer pack_truth(const uint8_t* truth, int64_t rows, const memory::PoolPtr& pool) {
  memory::Buffer bits = pool->allocate_zeroed((rows + 7) / 8, "materialise");
  uint8_t* to = bits.mutable_as<uint8_t>();
  for (int64_t row = 0; row < rows; ++row) to[row >> 3] |= static_cast<uint8_t>(truth[row] << (row & 7));
  return bits;
}

template <class From, class To>
memory::Buffer convert(const memory::Buffer& from, int64_t rows, const memory::PoolPtr& pool) {
  memory::Buffer to = pool->allocate(rows * static_cast<int64_t>(sizeof(To)), "materialise");
  for (int64_t row = 0; row < rows; ++row) to.mutable_as<To>()[row] = static_cast<To>(from.as<From>()[row]);
  return to;
}

// Register views name their text by address; at rest they name a buffer, so the text is copied into one.
void store_views(Column& column, const memory::Buffer& from, int64_t rows, const memory::PoolPtr& pool) {
  const RegisterView* views = from.as<RegisterView>();
  int64_t bytes = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (views[row].length > RegisterView::kInline) bytes += views[row].length;
  }
  FZ_CHECK(bytes < INT32_MAX);
  memory::Buffer characters = pool->allocate(bytes, "materialise");
  column.values = pool->allocate(rows * 16, "materialise");
  int64_t at = 0;
  for (int64_t row = 0; row < rows; ++row) {
    columns::View& view = column.values.mutable_as<columns::View>()[row];
    std::memcpy(&view, &views[row], sizeof view);
    if (views[row].length <= RegisterView::kInline) continue;
    std::memcpy(characters.mutable_as<char>() + at, views[row].address, views[row].length);
    view.buffer = 0;
    view.offset = static_cast<int32_t>(at);
    at += views[row].length;
  }
  column.characters = {characters};
}

// How a computed column lies at rest. The register's type is as narrow as its interval allows; where that is narrower
// than plain, the column's encoding says so. Narrow arrays are signed, so what needs u64 is widened.
Column layout_of(const Binding& binding) {
  Column column;
  column.type = binding.type;
  column.physical = columns::plain_physical(binding.type);
  column.interval = binding.value.interval;
  const Type type = binding.value.type;
  if (program::is_whole(type) && type != Type::u64 &&
      program::bytes_of(type) < columns::bytes_per_row(column.physical)) {
    column.encoding = Encoding::narrow;
    column.physical = type == Type::i32 ? Physical::w4 : Physical::w8;
  }
  return column;
}

// Registers are at least four bytes wide, columns may be one or two; and a wide register may hold a narrow dtype.
void store_numbers(Column& column, const memory::Buffer& buffer, Type type, int64_t rows, const memory::PoolPtr& pool) {
  const int wanted = columns::bytes_per_row(column.physical);
  if (program::bytes_of(type) == wanted) {
    column.values = buffer;
    return;
  }
  auto from = [&]<class From>(From) {
    switch (wanted) {
      case 16: column.values = convert<From, int128>(buffer, rows, pool); break;
      case 1: column.values = convert<From, int8_t>(buffer, rows, pool); break;
      case 2: column.values = convert<From, int16_t>(buffer, rows, pool); break;
      case 4: column.values = convert<From, int32_t>(buffer, rows, pool); break;
      default: column.values = convert<From, int64_t>(buffer, rows, pool); break;
    }
  };
  if (type == Type::i32) return from(int32{});
  if (type == Type::i64) return from(int64{});
  if (type == Type::u64) return from(uint64{});
  FZ_CHECK(type == Type::i128 || type == Type::u128);
  from(int128{});
}

}  // namespace

int Materialise::emitted(program::Operand operand, Type type) {
  for (size_t a = 0; a < arrays_.size(); ++a) {
    if (arrays_[a].type == type && arrays_[a].register_ == operand && type != Type::none) return static_cast<int>(a);
  }
  arrays_.push_back({type, operand});
  return static_cast<int>(arrays_.size() - 1);
}

void Materialise::prepare(Assembly& assembly, std::vector<Binding> bindings, program::Operand runs) {
  bindings_ = std::move(bindings);
  value_array_.assign(bindings_.size(), -1);
  valid_array_.assign(bindings_.size(), -1);
  rows_array_ = emitted({}, Type::none);
  if (runs) runs_array_ = emitted(runs, Type::row);
  for (size_t b = 0; b < bindings_.size(); ++b) {
    const Binding& binding = bindings_[b];
    if (binding.origin == Binding::Origin::build) value_array_[b] = emitted(binding.build_row, Type::row);
    if (binding.origin != Binding::Origin::computed) continue;
    value_array_[b] = emitted(binding.value.operand, binding.value.type);
    if (binding.value.valid) valid_array_[b] = emitted(binding.value.valid, Type::mask);
  }
  const size_t arrays = arrays_.size();
  slot_ = assembly.add_slot("output", [arrays](Context&) { return std::make_unique<OutputSlot>(arrays); });
  for (size_t a = 0; a < arrays_.size(); ++a) {
    program::Instruction emit{.op = Op::emit,
                              .type = arrays_[a].type,
                              .slot = static_cast<int16>(slot_),
                              .a = arrays_[a].register_,
                              .c = assembly.builder().live()};
    emit.imm = static_cast<int64>(a);
    if (arrays_[a].type == Type::none) emit.op = Op::emit_rows;
    if (arrays_[a].type == Type::mask) emit.op = Op::emit_mask;
    assembly.builder().append(emit, Type::none);
  }
}

Facts Materialise::facts(const Assembly& assembly) const {
  Facts facts{.rows = -1, .columns = {}};
  for (const Binding& binding : bindings_) {
    program::SourceColumn column;
    if (binding.origin == Binding::Origin::source) {
      column = assembly.facts().columns[static_cast<size_t>(binding.column)];
    } else if (binding.origin == Binding::Origin::build) {
      column = describe(binding.name, binding.build->column(binding.column));
      column.nullable |= binding.optional;
    } else {
      column = describe(binding.name, layout_of(binding));
      column.nullable = static_cast<bool>(binding.value.valid);
    }
    column.name = binding.name;
    column.type = binding.type;
    facts.columns.push_back(std::move(column));
  }
  return facts;
}

std::string Materialise::device_lacks() const {
  for (const Binding& binding : bindings_) {
    const bool fits = binding.origin == Binding::Origin::build
                          ? primitives::fits_device(binding.build->column(binding.column).physical)
                          : binding.origin == Binding::Origin::source ||
                                primitives::fits_device(columns::plain_physical(binding.type));
    if (!fits) return "columns of " + binding.type.name();
  }
  return "";
}

std::vector<int> Materialise::source_columns() const {
  std::vector<int> columns;
  for (const Binding& binding : bindings_) {
    if (binding.origin == Binding::Origin::source) columns.push_back(binding.column);
  }
  return columns;
}

Column Materialise::computed(primitives::Device& device, size_t b, const primitives::DeviceRows& made) const {
  const Binding& binding = bindings_[b];
  const Type type = binding.value.type;
  const memory::Buffer& buffer = made.arrays[static_cast<size_t>(value_array_[b])];
  Column column = layout_of(binding);
  column.rows = made.rows;
  if (type == Type::mask) {
    column.values = device.pack_truth(buffer, made.rows);
  } else if (program::bytes_of(type) == columns::bytes_per_row(column.physical)) {
    column.values = buffer;
  } else {
    column.values = device.resize(buffer, type, columns::bytes_per_row(column.physical), made.rows);
  }
  if (valid_array_[b] >= 0)
    column.validity = device.pack_truth(made.arrays[static_cast<size_t>(valid_array_[b])], made.rows);
  return column;
}

columns::Schema Materialise::schema() const {
  columns::Schema schema;
  for (const Binding& binding : bindings_) schema.push_back({binding.name, binding.type});
  return schema;
}

Batch Materialise::take(Context& context, const Batch& source, primitives::DeviceRows made,
                        const primitives::DeviceTable* table) const {
  primitives::Device& device = context.resident->device();
  auto array = [&](int number) { return made.arrays[static_cast<size_t>(number)]; };
  Batch out{made.rows, {}};
  // With runs row i becomes rows [i] repeated, beside the rows of its run.
  primitives::DeviceMatches matches;
  if (table) {
    matches = device.expand(*table, array(runs_array_), made.rows);
    out.rows = matches.rows;
  }
  auto spread = [&](const memory::Buffer& numbers) {
    if (!table) return numbers;
    Column column;
    column.type = columns::simple(TypeId::uint32);
    column.physical = Physical::w4;
    column.rows = made.rows;
    column.values = numbers;
    return device.gather(column, matches.probed, out.rows, false).values;
  };
  const memory::Buffer rows = spread(array(rows_array_));
  for (size_t b = 0; b < bindings_.size(); ++b) {
    const Binding& binding = bindings_[b];
    Column column;
    if (binding.origin == Binding::Origin::source) {
      const Column& from = source.columns[static_cast<size_t>(binding.column)];
      column = !table && made.rows == source.rows ? from : device.gather(from, rows, out.rows, false);
    } else if (binding.origin == Binding::Origin::build) {
      const Column& from = binding.build->columns[static_cast<size_t>(binding.column)]->on_device(context);
      const bool is_run = table && value_array_[b] == runs_array_;
      column = device.gather(from, is_run ? matches.build : spread(array(value_array_[b])), out.rows, binding.optional);
    } else {
      column = computed(device, b, made);
      if (binding.value.type == Type::view) column.characters = made.characters;
      if (table) column = device.gather(column, matches.probed, out.rows, false);
    }
    column.type = binding.type;
    out.columns.push_back(std::move(column));
  }
  return out;
}

std::unique_ptr<MaterialiseLane> Materialise::start(Context&, const std::vector<SlotState*>& slots) const {
  return std::make_unique<MaterialiseLane>(*this, *slots[static_cast<size_t>(slot_)]);
}

// Of a join that gives rows many times: little to hold, and soon done when the query is cancelled.
constexpr size_t kPieceRows = 1 << 16;

void MaterialiseLane::begin(Context& context, const Batch& batch) {
  auto& arrays = static_cast<OutputSlot&>(slot_).arrays();
  buffers_.clear();
  for (size_t a = 0; a < arrays.size(); ++a) {
    buffers_.push_back(context.pool->allocate(batch.rows * bytes_of_array(plan_.arrays_[a].type), "materialise"));
    arrays[a] = {buffers_.back().mutable_as<void>(), 0};
  }
}

Column MaterialiseLane::computed(Context& context, size_t b, int64_t rows) {
  const Binding& binding = plan_.bindings_[b];
  const Type type = binding.value.type;
  const memory::Buffer& buffer = buffers_[static_cast<size_t>(plan_.value_array_[b])];
  Column column = layout_of(binding);
  column.rows = rows;
  if (type == Type::mask) {
    column.values = pack_truth(buffer.as<uint8_t>(), rows, context.pool);
  } else if (type == Type::view) {
    store_views(column, buffer, rows, context.pool);
  } else {
    store_numbers(column, buffer, type, rows, context.pool);
  }
  const int valid = plan_.valid_array_[b];
  if (valid >= 0) column.validity = pack_truth(buffers_[static_cast<size_t>(valid)].as<uint8_t>(), rows, context.pool);
  return column;
}

Batch MaterialiseLane::take(Context& context, const Batch& batch) {
  Position whole;
  return take(context, batch, {}, whole);
}

Batch MaterialiseLane::take(Context& context, const Batch& batch, const Runs& runs, Position& position) {
  const int64_t rows = static_cast<OutputSlot&>(slot_).arrays()[static_cast<size_t>(plan_.rows_array_)].rows;
  auto numbers = [&](int array) {
    return std::span<const uint32>(buffers_[static_cast<size_t>(array)].as<uint32>(), static_cast<size_t>(rows));
  };
  Batch out{rows, {}, batch.ordinal};
  // Without runs a row stays one row. With runs row i becomes rows [i] repeated, beside the rows of its run.
  std::vector<uint32> repeated, run_rows;
  if (plan_.runs_array_ >= 0) {
    std::span<const uint32> run = numbers(plan_.runs_array_);
    for (; position.row < run.size() && repeated.size() < kPieceRows; ++position.row) {
      const uint32 i = position.row;
      if (run[i] == primitives::kNoRow) {  // an outer row without a match stays, beside nulls
        repeated.push_back(i);
        run_rows.push_back(primitives::kNoRow);
        continue;
      }
      const uint32 begin = runs.start[run[i]] + position.taken, left = runs.start[run[i] + 1] - begin;
      const uint32 count = std::min(left, static_cast<uint32>(kPieceRows - repeated.size()));
      for (uint32 at = begin; at < begin + count; ++at) {
        repeated.push_back(i);
        run_rows.push_back(runs.rows[at]);
      }
      if (count < left) {
        position.taken += count;
        break;
      }
      position.taken = 0;
    }
    out.rows = static_cast<int64_t>(repeated.size());
    if (out.rows == 0) return out;
  }
  auto select = [&](std::span<const uint32> indices) {
    if (plan_.runs_array_ < 0) return std::vector<uint32>(indices.begin(), indices.end());
    std::vector<uint32> chosen(repeated.size());
    for (size_t i = 0; i < repeated.size(); ++i) chosen[i] = indices[repeated[i]];
    return chosen;
  };
  const std::vector<uint32> source_rows = select(numbers(plan_.rows_array_));
  const bool all = plan_.runs_array_ < 0 && rows == batch.rows;
  for (size_t b = 0; b < plan_.bindings_.size(); ++b) {
    const Binding& binding = plan_.bindings_[b];
    Column column;
    if (binding.origin == Binding::Origin::source) {
      const Column& from = batch.columns[static_cast<size_t>(binding.column)];
      column = all ? from : primitives::gather(from, source_rows, context.pool);
    } else if (binding.origin == Binding::Origin::build) {
      const Column& from = binding.build->columns[static_cast<size_t>(binding.column)]->on_host(context);
      const bool is_run = plan_.runs_array_ >= 0 && plan_.value_array_[b] == plan_.runs_array_;
      column = primitives::gather(from, is_run ? run_rows : select(numbers(plan_.value_array_[b])), context.pool);
    } else {
      column = computed(context, b, rows);
      if (plan_.runs_array_ >= 0) column = primitives::gather(column, repeated, context.pool);
    }
    column.type = binding.type;
    out.columns.push_back(std::move(column));
  }
  return out;
}

void CollectLane::end(Context& context, const Batch& batch) {
  Batch made = lane_->take(context, batch);
  if (made.rows > 0) batches_.emplace_back(context.parking, std::move(made));
}

void Collect::prepare(Assembly& assembly, std::vector<Binding> bindings) {
  materialise_ = {};
  materialise_.prepare(assembly, std::move(bindings));
  schema_ = materialise_.schema();
}

std::unique_ptr<LaneEnd> Collect::start(Context& context, const std::vector<SlotState*>& slots) {
  return std::make_unique<CollectLane>(materialise_.start(context, slots));
}

void Collect::merge(Context&, std::vector<std::unique_ptr<LaneEnd>> lanes) {
  batches_.clear();
  for (auto& lane : lanes) {
    for (Parked& batch : static_cast<CollectLane&>(*lane).batches()) batches_.push_back(std::move(batch));
  }
  // Pieces of one batch share its ordinal.
  std::stable_sort(batches_.begin(), batches_.end(),
                   [](const Parked& a, const Parked& b) { return a.ordinal() < b.ordinal(); });
}

}  // namespace frazil::execute
