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
  std::vector<int> source_columns() const override { return segments_.source_columns(); }
  void describe(primitives::DeviceRun& run) const override;
  void take(execute::Context& context, const columns::Batch& source, primitives::DeviceRows made) override;

  // The step that makes the node's columns from keys and accumulators.
  execute::StepPtr results_step() const;

 private:
  enum class Variant { one_group, direct, hash };
  template <class Key>
  struct Partitioned;  // the groups of a lane
  void plan_cells(execute::Assembly& assembly);
  int place_cell(program::Builder& builder, CellPlan& cell, int64_t rows);
  std::vector<execute::KeyColumn> compile_keys(execute::Assembly& assembly) const;
  bool suits_arrays(const execute::Assembly& assembly) const;
  program::Operand group_numbers(execute::Assembly& assembly, const std::vector<execute::KeyColumn>& keys);
  void remember_first(execute::Assembly& assembly, const std::vector<execute::KeyColumn>& keys);
  void add_cells(execute::Assembly& assembly, program::Operand groups);
  void merge_direct(std::vector<std::unique_ptr<execute::LaneEnd>>& lanes);
  std::vector<uint32_t> keep_present(const std::vector<CellColumn>& merged);
  columns::Batch device_groups(execute::Context& context, const primitives::DeviceRows& made) const;
  columns::Batch host_groups(execute::Context& context, const primitives::DeviceRows& made) const;
  template <class Key>
  void merge_hash(execute::Context& context, std::vector<std::unique_ptr<execute::LaneEnd>>& lanes);
  template <class Key>
  columns::Batch merge_partition(std::vector<std::unique_ptr<execute::LaneEnd>>& lanes,
                                 const std::vector<Partitioned<Key>>& parts, size_t p);
  void restore_signs(columns::Batch& batch) const;
  void order_by_first_row(execute::Context& context);
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
  // Where the order or the sign of a zero depends on it: the cells that hold the place of each group's first row; those
  // of float keys hold twice that, plus one where the key was -0.0 there.
  struct Sign {
    size_t key;
    int cell;
  };
  int first_row_ = -1;
  std::vector<Sign> signs_;
  int group_slot_ = -1;
  bool sums_floats_ = false;
  memory::PoolPtr pool_;
  std::vector<columns::Batch> batches_;
  GroupPlaces places_;  // of each lane's groups in the batches
  columns::Schema schema_;
};

}  // namespace frazil::operators
