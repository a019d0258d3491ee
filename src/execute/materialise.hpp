// Turns the live rows of a program into columns. Columns of the source and of build sides are gathered by row number
// when a batch is through, in whatever encoding they have; only computed values pass through registers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execute/pipeline.hpp"
#include "primitives/cpu/join_table.hpp"

namespace frazil::execute {

class MaterialiseLane;

class Materialise {
 public:
  // Writes the emits for the columns of `bindings`. `runs`: register whose numbers name runs of build rows, each live
  // row then becomes as many rows as its run has (see MaterialiseLane::take).
  void prepare(Assembly& assembly, std::vector<Binding> bindings, program::Operand runs = {});
  // What a program that reads the made batches needs to know.
  Facts facts(const Assembly& assembly) const;
  std::unique_ptr<MaterialiseLane> start(Context& context, const std::vector<SlotState*>& slots) const;

  columns::Schema schema() const;

  // On a device: what it cannot hold of these columns, the columns of the source among them, and the batch that a run
  // over the rows of `source` made. `table`: has the runs.
  std::string device_lacks() const;
  std::vector<int> source_columns() const;
  columns::Batch take(Context& context, const columns::Batch& source, primitives::DeviceRows made,
                      const primitives::DeviceTable* table = nullptr) const;

 private:
  columns::Column computed(primitives::Device& device, size_t b, const primitives::DeviceRows& made) const;
  friend class MaterialiseLane;
  struct Emitted {
    program::Type type;  // none: row numbers
    program::Operand register_;
  };
  int emitted(program::Operand operand, program::Type type);
  std::vector<Binding> bindings_;
  std::vector<Emitted> arrays_;
  int slot_ = -1;
  int rows_array_ = -1;
  int runs_array_ = -1;
  std::vector<int> value_array_, valid_array_;  // by binding; -1: none
};

// How runs of build rows are spelled out.
struct Runs {
  std::span<const uint32> start, rows;
};

// How far a batch with runs is spelled out.
struct Position {
  uint32 row = 0;    // of those that the program let live
  uint32 taken = 0;  // of its run
};

class MaterialiseLane : public LaneEnd {
 public:
  MaterialiseLane(const Materialise& plan, SlotState& slot) : plan_(plan), slot_(slot) {}
  void begin(Context& context, const columns::Batch& batch) override;
  // The batch that the rows since `begin` became.
  columns::Batch take(Context& context, const columns::Batch& batch);
  // With runs: a piece of it from `position`, which moves on. No rows: that was all.
  columns::Batch take(Context& context, const columns::Batch& batch, const Runs& runs, Position& position);

 private:
  columns::Column computed(Context& context, size_t b, int64_t rows);
  const Materialise& plan_;
  SlotState& slot_;
  std::vector<memory::Buffer> buffers_;
};

class CollectLane : public LaneEnd {
 public:
  explicit CollectLane(std::unique_ptr<MaterialiseLane> lane) : lane_(std::move(lane)) {}
  void begin(Context& context, const columns::Batch& batch) override { lane_->begin(context, batch); }
  void end(Context& context, const columns::Batch& batch) override;
  std::vector<Parked>& batches() { return batches_; }

 private:
  std::unique_ptr<MaterialiseLane> lane_;
  std::vector<Parked> batches_;
};

// A sink that keeps all rows in the order of their source: the end of a query, and the input of sorts and builds.
class Collect : public Sink {
 public:
  void prepare(Assembly& assembly) override { prepare(assembly, assembly.scope()); }
  void prepare(Assembly& assembly, std::vector<Binding> bindings);
  std::unique_ptr<LaneEnd> start(Context& context, const std::vector<SlotState*>& slots) override;
  void merge(Context& context, std::vector<std::unique_ptr<LaneEnd>> lanes) override;
  SourcePtr finish(Context& context) override { return parked_source(context, schema_, std::move(batches_)); }
  std::string device_lacks(const Facts&) const override { return materialise_.device_lacks(); }
  std::vector<int> source_columns() const override { return materialise_.source_columns(); }
  void take(Context& context, const columns::Batch& source, primitives::DeviceRows made) override {
    batches_.clear();
    batches_.emplace_back(context.parking, materialise_.take(context, source, std::move(made)));
  }

  const columns::Schema& schema() const { return schema_; }
  std::vector<Parked>& batches() { return batches_; }
  int64_t rows() const { return rows_of(batches_); }

 protected:
  const Materialise& materialise() const { return materialise_; }

 private:
  Materialise materialise_;
  columns::Schema schema_;
  std::vector<Parked> batches_;
};

}  // namespace frazil::execute
