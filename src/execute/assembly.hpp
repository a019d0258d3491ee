// A pipeline's tile program while it is put together, at pipeline start, when the facts of its inputs are known. Steps
// and the sink write their parts one after the other; columns are named, and loaded only when somebody computes with
// them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "execute/context.hpp"
#include "execute/source.hpp"
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

// A slot whose state is shared by all lanes and outlives the pipeline.
SlotFactory shared_slot(std::shared_ptr<void> owner, void* state);

// The rows of a finished build side, fetched by row number.
struct BuildSide {
  int64_t rows = 0;
  columns::Schema schema;
  std::vector<columns::Column> columns;
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

  int add_slot(std::string what, SlotFactory factory);
  const std::vector<SlotFactory>& slots() const { return slots_; }
  // The slot of the lane's memory for text that functions make: one for all of them.
  int text_slot();

  // Starts the part of a plan node: errors and counts are its own.
  void enter_node(int node);
  void count_rows();

 private:
  program::Value fetch(const Binding& binding, bool decoded);
  program::Value fetch_build(const Binding& binding);
  program::Value spell_out(const program::Value& codes, std::shared_ptr<const columns::Column> dictionary);

  Context& context_;
  Facts facts_;
  program::Builder builder_;
  std::vector<Binding> scope_;
  std::vector<SlotFactory> slots_;
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
