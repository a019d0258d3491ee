// Aggregates that need all values of a group at once: their functions have the shape segmented. Lanes keep the rows
// that reach them, as the number of their group beside the arguments; when the groups are merged, the rows are put in
// the order of groups, and each function makes one column of them.
#pragma once

#include <memory>
#include <vector>

#include "execute/materialise.hpp"
#include "lower/aggregate.hpp"

namespace frazil::operators {

// The rows of one lane.
class SegmentLane {
 public:
  explicit SegmentLane(std::unique_ptr<execute::MaterialiseLane> rows) : rows_(std::move(rows)) {}
  void begin(execute::Context& context, const columns::Batch& batch) { rows_->begin(context, batch); }
  void end(execute::Context& context, const columns::Batch& batch) {
    batches_.emplace_back(context.parking, rows_->take(context, batch));
  }
  std::vector<execute::Parked>& batches() { return batches_; }

 private:
  std::unique_ptr<execute::MaterialiseLane> rows_;
  std::vector<execute::Parked> batches_;
};

// Group g of lane l is row places[l][g] of all merged groups.
using GroupPlaces = std::vector<std::vector<uint32_t>>;

class Segments {
 public:
  Segments(const lower::Expressions& expressions, const std::vector<lower::SegmentedAggregate>& aggregates);
  bool empty() const { return aggregates_.empty(); }

  // Writes its part of the program. `groups`: register of group numbers; none: there is one group.
  void prepare(execute::Assembly& assembly, program::Operand groups);
  std::unique_ptr<SegmentLane> start(execute::Context& context, const std::vector<execute::SlotState*>& slots) const;
  // Adds the aggregates' columns to batches that have a row for each group, in the order of their places.
  void finish(execute::Context& context, const std::vector<SegmentLane*>& lanes, const GroupPlaces& places,
              std::vector<columns::Batch>& groups) const;
  void add_fields(columns::Schema& schema) const;

  // On a device: what it cannot do of them, the columns of the source that they need, and their columns of `groups`
  // groups, from what a run over the rows of `source` emitted.
  std::string device_lacks() const;
  std::vector<int> source_columns() const;
  std::vector<columns::Column> take(execute::Context& context, const columns::Batch& source,
                                    primitives::DeviceRows made, int64_t groups) const;

 private:
  struct Sorted;
  size_t place_of(const plan::Expression& argument) const;
  Sorted sort(const std::vector<SegmentLane*>& lanes, const GroupPlaces& places, int64_t groups,
              const memory::PoolPtr& pool) const;
  columns::Column aggregate(const lower::SegmentedAggregate& aggregate, const Sorted& sorted, int64_t first,
                            int64_t groups, const memory::PoolPtr& pool) const;
  const lower::Function& function(const lower::SegmentedAggregate& aggregate) const;
  bool is_filtered(const lower::SegmentedAggregate& aggregate) const;
  std::vector<columns::Column> arguments_of(const lower::SegmentedAggregate& aggregate,
                                            const std::vector<columns::Column>& all) const;

  const lower::Expressions& expressions_;
  std::vector<lower::SegmentedAggregate> aggregates_;
  std::vector<plan::ExpressionPtr> arguments_;  // of all aggregates, each once
  execute::Materialise rows_;                   // the arguments, then the group if there are several
  bool one_group_ = false;
};

}  // namespace frazil::operators
