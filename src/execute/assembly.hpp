// A pipeline's tile program while it is put together, at pipeline start, when the facts of its inputs are known. Steps
// and the sink write their parts one after the other; columns are named, and loaded only when somebody computes with
// them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "execute/context.hpp"
#include "execute/source.hpp"
#include "primitives/device.hpp"
#include "program/builder.hpp"

namespace frazil::execute {

// What a slot holds for one lane.
class SlotState {
 public:
  virtual ~SlotState() = default;
  virtual void* state() = 0;
  virtual void begin_batch() {}
};
using SlotFactory = std::function<std::unique_ptr<SlotState>(Context&)>;
// What a device finds there; only for slots whose content comes from outside of the program.
using DeviceSlotFactory = std::function<primitives::DeviceSlot(Context&)>;
struct Slot {
  SlotFactory factory;
  DeviceSlotFactory on_device;
};

// A slot whose state is shared by all lanes and outlives the pipeline.
SlotFactory shared_slot(std::shared_ptr<void> owner, void* state);

// A column that is fetched by row number, from both sides of the bus: it is copied over when the first lane asks.
class GatherSource {
 public:
  explicit GatherSource(columns::Column column) : column_(std::move(column)) {}
  const columns::Column& column() const { return column_; }  // where it was made
  const columns::Column& on_host(Context& context);
  const columns::Column& on_device(Context& context);

 private:
  columns::Column column_;
  std::mutex mutex_;
  std::optional<columns::Column> copy_;  // on the other side
};
using GatherSourcePtr = std::shared_ptr<GatherSource>;

// The rows of a finished build side, fetched by row number.
struct BuildSide {
  int64_t rows = 0;
  columns::Schema schema;
  std::vector<GatherSourcePtr> columns;
  const columns::Column& column(int c) const { return columns[static_cast<size_t>(c)]->column(); }
};

// Where the values of a named column are.
struct Binding {
  enum class Origin { source, build, computed };
  std::string name;
  columns::DataType type;
  Origin origin = Origin::source;
  int column = 0;  // of the source or the build side
  std::shared_ptr<const BuildSide> build;
  program::Operand build_row;  // register of row numbers
  bool optional = false;       // some rows may have found nothing: their values are null
  program::Value value;        // computed
};

class Assembly {
 public:
  Assembly(Context& context, const Facts& facts);

  program::Builder& builder() { return builder_; }
  Context& context() { return context_; }
  const Context& context() const { return context_; }
  const Facts& facts() const { return facts_; }

  std::vector<Binding>& scope() { return scope_; }
  const Binding& find(const std::string& name) const;

  // The column as numbers, text or truth; dictionary columns give their text (see codes).
  program::Value load(const Binding& binding);
  // For a dictionary column: its codes and the values that they stand for.
  struct Codes {
    program::Value value;
    std::shared_ptr<const columns::Column> dictionary;
  };
  std::optional<Codes> codes(const Binding& binding);

  // Rows whose whole number in this column of the source is not within are dropped here. They may be left out before,
  // unless something on the way would have raised for them.
  void want_only(const Binding& binding, const columns::Interval& values);
  const std::vector<Restriction>& restrictions() const { return restrictions_; }

  int add_slot(std::string what, SlotFactory factory, DeviceSlotFactory on_device = {});
  const std::vector<Slot>& slots() const { return slots_; }
  // The slot of the lane's memory for text that functions make: one for all of them.
  int text_slot();

  // Starts the part of a plan node: errors and counts are its own.
  void enter_node(int node);
  void count_rows();

 private:
  program::Value fetch(const Binding& binding, bool decoded);
  program::Value fetch_build(const Binding& binding);
  program::Value spell_out(const program::Value& codes, std::shared_ptr<const columns::Column> dictionary);
  int gather_slot(std::string what, GatherSourcePtr source);

  Context& context_;
  Facts facts_;
  program::Builder builder_;
  std::vector<Binding> scope_;
  std::vector<Slot> slots_;
  std::vector<Restriction> restrictions_;
  int text_slot_ = -1;
  // What was fetched from build sides and dictionaries, by where it came from.
  std::map<std::tuple<const void*, int, int>, program::Value> fetched_;
};

// Row-wise work between a source and a sink.
class Step {
 public:
  virtual ~Step() = default;
  virtual void emit(Assembly& assembly) = 0;
};
using StepPtr = std::shared_ptr<Step>;

}  // namespace frazil::execute
