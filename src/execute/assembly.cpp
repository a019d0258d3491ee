#include "execute/assembly.hpp"

#include "base/error.hpp"
#include "execute/resident.hpp"
#include "primitives/cpu/arena.hpp"
#include "primitives/cpu/machine.hpp"
#include "primitives/cpu/state.hpp"
#include "primitives/move.hpp"

namespace frazil::execute {

using columns::Column;
using columns::Encoding;
using primitives::cpu::GatherState;
using program::Element;
using program::Op;
using program::Type;
using program::Value;

namespace {

class SharedState : public SlotState {
 public:
  SharedState(std::shared_ptr<void> owner, void* state) : owner_(std::move(owner)), state_(state) {}
  void* state() override { return state_; }

 private:
  std::shared_ptr<void> owner_;
  void* state_;
};

// Text of one batch.
class TextSlot : public SlotState {
 public:
  explicit TextSlot(Context& context) : arena_(context.pool, "text"), memory_{&arena_, allocate} {}
  void* state() override { return &memory_; }
  void begin_batch() override { arena_.reset(); }

 private:
  static char* allocate(void* arena, int64 bytes) {
    return static_cast<primitives::cpu::Arena*>(arena)->allocate(bytes);
  }
  primitives::cpu::Arena arena_;
  primitives::cpu::TextMemory memory_;
};

// A column made ready for gathers, with what it points to.
class GatherSlot : public SlotState {
 public:
  GatherSlot(GatherSourcePtr source, const Column& column) : source_(std::move(source)) {
    gather_ = {primitives::cpu::bind_column(column, characters_), static_cast<uint32>(column.rows)};
  }
  void* state() override { return &gather_; }

 private:
  GatherSourcePtr source_;
  std::vector<const char*> characters_;
  GatherState gather_;
};

}  // namespace

const Column& GatherSource::on_host(Context& context) {
  if (!is_on_device(column_)) return column_;
  std::lock_guard lock(mutex_);
  if (!copy_) copy_ = context.resident->download(context, column_);
  return *copy_;
}

const Column& GatherSource::on_device(Context& context) {
  if (is_on_device(column_)) return column_;
  std::lock_guard lock(mutex_);
  if (!copy_) copy_ = context.resident->upload(context, column_);
  return *copy_;
}

SlotFactory shared_slot(std::shared_ptr<void> owner, void* state) {
  return [owner = std::move(owner), state](Context&) { return std::make_unique<SharedState>(owner, state); };
}

Assembly::Assembly(Context& context, const Facts& facts) : context_(context), facts_(facts), builder_(facts.columns) {
  for (size_t c = 0; c < facts.columns.size(); ++c) {
    scope_.push_back({facts.columns[c].name,
                      facts.columns[c].type,
                      Binding::Origin::source,
                      static_cast<int>(c),
                      {},
                      {},
                      false,
                      {}});
  }
}

const Binding& Assembly::find(const std::string& name) const {
  for (const Binding& binding : scope_) {
    if (binding.name == name) return binding;
  }
  fail(ErrorKind::internal, "no column \"" + name + "\" in scope");
}

void Assembly::want_only(const Binding& binding, const columns::Interval& values) {
  if (binding.origin != Binding::Origin::source || builder_.may_raise()) return;
  restrictions_.push_back({binding.column, values});
}

int Assembly::add_slot(std::string what, SlotFactory factory, DeviceSlotFactory on_device) {
  slots_.push_back({std::move(factory), std::move(on_device)});
  return builder_.add_slot(std::move(what));
}

int Assembly::gather_slot(std::string what, GatherSourcePtr source) {
  return add_slot(
      std::move(what),
      [source](Context& context) { return std::make_unique<GatherSlot>(source, source->on_host(context)); },
      [source](Context& context) { return primitives::DeviceSlot{.column = &source->on_device(context)}; });
}

int Assembly::text_slot() {
  if (text_slot_ < 0) {
    text_slot_ = add_slot("text", [](Context& context) { return std::make_unique<TextSlot>(context); });
  }
  return text_slot_;
}

void Assembly::enter_node(int node) { builder_.enter_node(static_cast<uint16>(node)); }

void Assembly::count_rows() { builder_.append({.op = Op::count_rows, .c = builder_.live()}, Type::none); }

// Text of dictionary codes: fetched from the dictionary by code.
Value Assembly::spell_out(const Value& codes, std::shared_ptr<const Column> dictionary) {
  auto [known, is_new] = fetched_.try_emplace({dictionary.get(), -1, codes.operand.index});
  if (!is_new) return known->second;
  const int slot = gather_slot("dictionary", std::make_shared<GatherSource>(*dictionary));
  Value rows = builder_.convert(codes, Type::row);
  program::Operand text = builder_.append(
      {.op = Op::gather, .type = Type::view, .slot = static_cast<int16>(slot), .a = rows.operand}, Type::view);
  return known->second = {text, Type::view, codes.valid, std::nullopt};
}

Value Assembly::fetch(const Binding& binding, bool decoded) {
  if (binding.origin == Binding::Origin::computed) return binding.value;
  if (binding.origin == Binding::Origin::source) {
    Value value = builder_.column(binding.column);
    const auto& dictionary = builder_.source(binding.column).dictionary;
    return decoded && dictionary ? spell_out(value, dictionary) : value;
  }
  Value value = fetch_build(binding);
  const Column& column = binding.build->column(binding.column);
  return decoded && column.encoding == Encoding::dictionary ? spell_out(value, column.dictionary) : value;
}

// A build-side column at the row numbers of the probe, gathered once.
Value Assembly::fetch_build(const Binding& binding) {
  auto [known, is_new] = fetched_.try_emplace({binding.build.get(), binding.column, binding.build_row.index});
  if (!is_new) return known->second;
  const Column& column = binding.build->column(binding.column);
  const program::SourceColumn source = describe(binding.name, column);
  const Value like = program::Builder({source}).column(0);  // what a load of this column would give
  const int slot =
      gather_slot("build column " + binding.name, binding.build->columns[static_cast<size_t>(binding.column)]);
  program::Instruction gather{.op = Op::gather,
                              .type = like.type,
                              .element = source.element,
                              .slot = static_cast<int16>(slot),
                              .a = binding.build_row};
  if (source.encoding == Encoding::narrow) gather.imm = static_cast<int64>(source.base);
  Value value{builder_.append(gather, like.type), like.type, program::kAll, like.interval};
  if (binding.optional || column.has_nulls()) {
    value.valid = builder_.append(
        {.op = Op::gather_valid, .type = Type::mask, .slot = static_cast<int16>(slot), .a = binding.build_row},
        Type::mask);
  }
  return known->second = value;
}

Value Assembly::load(const Binding& binding) { return fetch(binding, true); }

std::optional<Assembly::Codes> Assembly::codes(const Binding& binding) {
  std::shared_ptr<const Column> dictionary;
  if (binding.origin == Binding::Origin::source) {
    dictionary = builder_.source(binding.column).dictionary;
  } else if (binding.origin == Binding::Origin::build) {
    const Column& column = binding.build->column(binding.column);
    if (column.encoding == Encoding::dictionary) dictionary = column.dictionary;
  }
  if (!dictionary) return std::nullopt;
  return Codes{fetch(binding, false), dictionary};
}

}  // namespace frazil::execute
