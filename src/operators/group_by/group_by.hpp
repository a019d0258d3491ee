// Groups rows by keys and aggregates each group. Lanes aggregate on their own; merging combines groups by partitions of
// their hash. Without keys there is one group, also over no rows. Small key spaces are addressed directly; all others
// go through a hash table.
#pragma once

#include <memory>
#include <vector>

#include "execute/key.hpp"
#include "execute/pipeline.hpp"
#include "lower/lowering.hpp"
#include "operators/group_by/cells.hpp"
#include "operators/group_by/segments.hpp"

namespace frazil::operators {

class GroupBySink : public execute::Sink {
 public:
  GroupBySink(const lower::Expressions& expressions, plan::NodePtr node, int number);

  void prepare(execute::Assembly& assembly) override;
  std::unique_ptr<execute::LaneEnd> start(execute::Context& context,
                                          const std::vector<execute::SlotState*>& slots) override;
  bool fixed_shares() const override { return sums_floats_; }
  void merge(execute::Context& context, std::vector<std::unique_ptr<execute::LaneEnd>> lanes) override;
  execute::SourcePtr finish(execute::Context& context) override;
  std::string device_lacks(const execute::Facts& facts) const override;
  void describe(primitives::DeviceRun& run) const override;
  void take(execute::Context& context, const columns::Batch& source, primitives::DeviceRows made) override;

  // The step that makes the node's columns from keys and accumulators.
  execute::StepPtr results_step() const;

 private:
  enum class Variant { one_group, direct, hash };
  void plan_cells(execute::Assembly& assembly);
  int place_cell(program::Builder& builder, CellPlan& cell, int64_t rows);
  program::Operand group_numbers(execute::Assembly& assembly);
  void add_cells(execute::Assembly& assembly, program::Operand groups);
  void merge_direct(std::vector<std::unique_ptr<execute::LaneEnd>>& lanes);
  std::vector<uint32_t> keep_present(const std::vector<CellColumn>& merged);
  columns::Batch device_groups(execute::Context& context, const primitives::DeviceRows& made) const;
  columns::Batch host_groups(execute::Context& context, const primitives::DeviceRows& made) const;
  template <class Key>
  void merge_hash(execute::Context& context, std::vector<std::unique_ptr<execute::LaneEnd>>& lanes);
  columns::Batch batch_of(const std::vector<columns::Column>& keys, const std::vector<CellColumn>& cells, int64_t rows,
                          const std::vector<uint32_t>* groups) const;

  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  int number_;
  lower::Aggregates aggregates_;
  Segments segments_;
  Variant variant_ = Variant::hash;
  execute::KeyLayout layout_;
  std::vector<CellPlan> cells_;
  // Request -> accumulator; -1: none is needed, its value is 0. Shared with the step that reads the results.
  std::shared_ptr<std::vector<int>> cell_of_request_ = std::make_shared<std::vector<int>>();
  int occurrence_ = -1;  // direct: the cell that counts rows, so that empty groups can be told
  int group_slot_ = -1;
  bool sums_floats_ = false;
  memory::PoolPtr pool_;
  std::vector<columns::Batch> batches_;
  GroupPlaces places_;  // of each lane's groups in the batches
  columns::Schema schema_;
};

}  // namespace frazil::operators
