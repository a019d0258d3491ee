// Equi-joins. One side is collected and gets a table by key; the other side probes it inside its own pipeline. A table
// with unique keys gives each row at most one partner, so the tile goes on; else rows are spelled out into a new batch.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "execute/key.hpp"
#include "execute/materialise.hpp"
#include "lower/lowering.hpp"
#include "primitives/cpu/join_table.hpp"
#include "primitives/cpu/state.hpp"

namespace frazil::operators {

enum class JoinKind { inner, left, semi, anti };

// Collects the build side and makes its table.
class BuildSink : public execute::Collect {
 public:
  // `only_matches`: nobody asks for its columns, or how many rows there are of a key.
  BuildSink(const lower::Expressions& expressions, plan::NodePtr node, std::string keys, bool nulls_equal,
            bool only_matches)
      : expressions_(expressions),
        node_(std::move(node)),
        keys_(std::move(keys)),
        nulls_equal_(nulls_equal),
        only_matches_(only_matches) {}

  void prepare(execute::Assembly& assembly) override;
  execute::SourcePtr finish(execute::Context& context) override;  // makes the table; nothing reads it as a source

  const execute::KeyLayout& layout() const { return layout_; }
  std::shared_ptr<const execute::BuildSide> side() const { return side_; }
  bool unique() const;
  // Of the values of a key column, where that is known; low > high: no row has a key.
  std::optional<columns::Interval> interval(size_t key) const;
  // The table, on the side of the bus that probes; made on the CPU when its first lane asks, if a device made it.
  const primitives::cpu::ProbeState& on_host(execute::Context& context);
  std::shared_ptr<const primitives::DeviceTable> on_device(execute::Context& context);
  execute::Runs runs(execute::Context& context);

 private:
  void make_table(execute::Context& context);
  template <class Key>
  void make_table(execute::Context& context, const columns::Column& column, const Key* keys,
                  std::unique_ptr<primitives::cpu::JoinTable<Key>>& table);

  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  std::string keys_;  // "left" or "right": the group of the node's key expressions
  bool nulls_equal_, only_matches_;
  execute::KeyLayout layout_;
  std::shared_ptr<execute::BuildSide> side_;
  execute::GatherSourcePtr keys_column_;
  std::shared_ptr<const primitives::DeviceTable> device_table_;
  std::mutex mutex_;
  memory::Buffer text_keys_;  // views of the keys
  std::unique_ptr<primitives::cpu::JoinTable<uint64>> narrow_;
  std::unique_ptr<primitives::cpu::JoinTable<uint128>> wide_;
  std::unique_ptr<primitives::cpu::JoinTable<program::RegisterView>> text_;
  primitives::cpu::ProbeState state_;
};

// Probes inside the pipeline of the other side.
class ProbeStep : public execute::Cut {
 public:
  // An output column: of the probing side, or of the build side.
  struct Output {
    std::string name;    // in the join's result
    std::string column;  // in its side
    bool of_build;
  };
  ProbeStep(const lower::Expressions& expressions, plan::NodePtr node, int number, JoinKind kind, std::string keys,
            bool nulls_equal, std::shared_ptr<BuildSink> build, lower::SourceMaker make_build,
            std::vector<Output> outputs)
      : expressions_(expressions),
        node_(std::move(node)),
        number_(number),
        kind_(kind),
        keys_(std::move(keys)),
        nulls_equal_(nulls_equal),
        build_(std::move(build)),
        make_build_(std::move(make_build)),
        outputs_(std::move(outputs)) {}

  bool cuts(execute::Context& context) override;
  void emit(execute::Assembly& assembly) override;
  void prepare(execute::Assembly& assembly) override;
  execute::Facts facts() const override { return facts_; }
  std::unique_ptr<execute::LaneEnd> start(execute::Context& context,
                                          const std::vector<execute::SlotState*>& slots) override;
  std::optional<columns::Batch> next(execute::Context& context, execute::LaneEnd& lane) override;
  void resume(execute::Assembly& assembly) override;
  std::string device_lacks(const execute::Facts&) const override { return materialise_.device_lacks(); }
  std::vector<int> source_columns() const override { return materialise_.source_columns(); }
  void take(execute::Context& context, const columns::Batch& source, primitives::DeviceRows made) override;
  execute::SourcePtr taken() override { return std::move(taken_); }

 private:
  void restrict_source(execute::Assembly& assembly, size_t key) const;
  program::Operand probe(execute::Assembly& assembly);
  void rename(execute::Assembly& assembly, program::Operand rows);
  void filter_residual(execute::Assembly& assembly);

  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  int number_;
  JoinKind kind_;
  std::string keys_;
  bool nulls_equal_;
  std::shared_ptr<BuildSink> build_;
  lower::SourceMaker make_build_;
  std::vector<Output> outputs_;
  execute::Materialise materialise_;
  execute::Facts facts_;
  execute::SourcePtr taken_;
};

}  // namespace frazil::operators
