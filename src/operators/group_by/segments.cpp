#include "operators/group_by/segments.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "execute/resident.hpp"
#include "execute/scheduler.hpp"
#include "primitives/distinct.hpp"
#include "primitives/move.hpp"

namespace frazil::operators {

using columns::Batch;
using columns::Column;
using execute::Assembly;
using execute::Binding;
using execute::Context;

// All rows in the order of their groups: group g has those from rows[start[g]] up to rows[start[g + 1]].
struct Segments::Sorted {
  std::vector<Column> arguments;
  memory::Buffer rows, start;  // uint32
};

Segments::Segments(const lower::Expressions& expressions, const std::vector<lower::SegmentedAggregate>& aggregates)
    : expressions_(expressions), aggregates_(aggregates) {
  for (const lower::SegmentedAggregate& aggregate : aggregates_) {
    for (const plan::ExpressionPtr& argument : aggregate.call->arguments) {
      if (place_of(*argument) == arguments_.size()) arguments_.push_back(argument);
    }
  }
}

// Where an argument is among all of them; their number, if it is not.
size_t Segments::place_of(const plan::Expression& argument) const {
  const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                  [&](const plan::ExpressionPtr& known) { return *known == argument; });
  return static_cast<size_t>(found - arguments_.begin());
}

void Segments::prepare(Assembly& assembly, program::Operand groups) {
  if (empty()) return;
  std::vector<Binding> kept;
  for (const plan::ExpressionPtr& argument : arguments_) {
    if (argument->kind == plan::Expression::Kind::column) {
      kept.push_back(assembly.find(argument->name));
    } else {
      kept.push_back({.type = argument->type,
                      .origin = Binding::Origin::computed,
                      .value = expressions_.compile(assembly, *argument)});
    }
  }
  one_group_ = !groups;
  if (groups) {
    kept.push_back({.name = "group",
                    .type = columns::simple(columns::TypeId::uint32),
                    .origin = Binding::Origin::computed,
                    .value = {groups, program::Type::row, program::kAll, std::nullopt}});
  }
  rows_ = {};
  rows_.prepare(assembly, std::move(kept));
}

std::unique_ptr<SegmentLane> Segments::start(Context& context, const std::vector<execute::SlotState*>& slots) const {
  return empty() ? nullptr : std::make_unique<SegmentLane>(rows_.start(context, slots));
}

void Segments::add_fields(columns::Schema& schema) const {
  for (const auto& aggregate : aggregates_) schema.push_back({aggregate.column, aggregate.call->type});
}

// Places the rows by counting. Lanes' batches go by their ordinal, so that a group's rows are in the order of the
// source.
Segments::Sorted Segments::sort(const std::vector<SegmentLane*>& lanes, const GroupPlaces& places, int64_t groups,
                                const memory::PoolPtr& pool) const {
  struct Part {
    size_t lane;
    execute::Parked* batch;
  };
  std::vector<Part> parts;
  int64_t rows = 0;
  for (size_t l = 0; l < lanes.size(); ++l) {
    for (execute::Parked& batch : lanes[l]->batches()) {
      parts.push_back({l, &batch});
      rows += batch.rows();
    }
  }
  FZ_CHECK(rows < primitives::kNoRow);
  // Pieces of one batch share its ordinal.
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.batch->ordinal() < b.batch->ordinal(); });

  auto each_row = [&](auto f) {
    for (const Part& part : parts) {
      const Column groups_of_rows = one_group_ ? Column{} : part.batch->load(arguments_.size());
      const uint32_t* group = one_group_ ? nullptr : groups_of_rows.values.as<uint32_t>() + groups_of_rows.offset;
      for (int64_t row = 0; row < part.batch->rows(); ++row) f(group ? places[part.lane][group[row]] : 0);
    }
  };
  Sorted sorted;
  sorted.start = pool->allocate_zeroed((groups + 2) * static_cast<int64_t>(sizeof(uint32_t)), "group_by");
  sorted.rows = pool->allocate(rows * static_cast<int64_t>(sizeof(uint32_t)), "group_by");
  // Counted two places on, then summed, place g + 1 has the start of g, and moves to its end as its rows are placed.
  auto* start = sorted.start.mutable_as<uint32_t>();
  each_row([&](uint32_t group) { ++start[group + 2]; });
  for (int64_t g = 2; g < groups + 2; ++g) start[g] += start[g - 1];
  each_row([&, row = uint32_t{0}](uint32_t group) mutable {
    sorted.rows.mutable_as<uint32_t>()[start[group + 1]++] = row++;
  });

  for (size_t a = 0; a < arguments_.size(); ++a) {
    std::vector<Column> pieces;
    for (const Part& part : parts) pieces.push_back(part.batch->take(a));
    sorted.arguments.push_back(pieces.empty() ? primitives::nulls(arguments_[a]->type, 0, pool)
                                              : primitives::concatenate(pieces, pool));
  }
  return sorted;
}

const lower::Function& Segments::function(const lower::SegmentedAggregate& aggregate) const {
  return expressions_.functions().at(expressions_.resolve(*aggregate.call));
}

// Whether a last argument more than the function has says which rows count.
bool Segments::is_filtered(const lower::SegmentedAggregate& aggregate) const {
  return aggregate.call->arguments.size() > static_cast<size_t>(function(aggregate).info->arguments);
}

std::vector<Column> Segments::arguments_of(const lower::SegmentedAggregate& aggregate,
                                           const std::vector<Column>& all) const {
  std::vector<Column> arguments;
  for (const auto& argument : aggregate.call->arguments) arguments.push_back(all[place_of(*argument)]);
  return arguments;
}

namespace {

// Keeps those rows of each segment where `wanted` is true.
void filter_segments(const Column& wanted, std::vector<uint32_t>& rows, std::vector<uint32_t>& start) {
  uint32_t kept = 0;
  for (size_t s = 0, at = 0; s + 1 < start.size(); ++s) {
    const uint32_t end = start[s + 1];
    for (; at < end; ++at) {
      const uint32_t row = rows[at];
      if (wanted.is_valid(row) && columns::truth_at(wanted, row)) rows[kept++] = row;
    }
    start[s + 1] = kept;
  }
  rows.resize(kept);
}

class HostPrimitives : public lower::SegmentPrimitives {
 public:
  HostPrimitives(std::span<const uint32_t> rows, std::span<const uint32_t> start, const memory::PoolPtr& pool)
      : rows_(rows), start_(start), pool_(pool) {}
  memory::Buffer count_distinct(const Column& argument) const override {
    const primitives::NumberedValues values = primitives::number_values(argument, rows_, pool_);
    memory::Buffer counts = pool_->allocate(static_cast<int64_t>(start_.size() * sizeof(uint32_t)), "segments");
    // For each value the last segment that had it, counted from 1.
    memory::Buffer last = pool_->allocate_zeroed(int64_t{values.count} * sizeof(uint32_t), "segments");
    for (size_t s = 0; s + 1 < start_.size(); ++s) {
      uint32_t count = 0;
      for (uint32_t at = start_[s]; at < start_[s + 1]; ++at) {
        uint32_t& seen = last.mutable_as<uint32_t>()[values.begin()[at]];
        count += seen != s + 1;
        seen = static_cast<uint32_t>(s + 1);
      }
      counts.mutable_as<uint32_t>()[s] = count;
    }
    return counts;
  }

 private:
  std::span<const uint32_t> rows_, start_;
  const memory::PoolPtr& pool_;
};

class OnDevice : public lower::SegmentPrimitives {
 public:
  OnDevice(primitives::Device& device, memory::Buffer numbers, int64_t groups)
      : device_(device), numbers_(std::move(numbers)), groups_(groups) {}
  memory::Buffer count_distinct(const Column& argument) const override {
    return device_.count_distinct(argument, numbers_, groups_);
  }

 private:
  primitives::Device& device_;
  memory::Buffer numbers_;  // of the rows' groups
  int64_t groups_;
};

}  // namespace

Column Segments::aggregate(const lower::SegmentedAggregate& aggregate, const Sorted& sorted, int64_t first,
                           int64_t groups, const memory::PoolPtr& pool) const {
  std::vector<Column> arguments = arguments_of(aggregate, sorted.arguments);
  const uint32_t* start = sorted.start.as<uint32_t>() + first;
  std::vector<uint32_t> starts(start, start + groups + 1), kept;
  for (uint32_t& at : starts) at -= *start;
  std::span<const uint32_t> rows(sorted.rows.as<uint32_t>() + *start, starts.back());
  const plan::Expression& call = *aggregate.call;
  if (is_filtered(aggregate)) {
    kept.assign(rows.begin(), rows.end());
    filter_segments(arguments.back(), kept, starts);
    arguments.pop_back();
    rows = kept;
  }
  return function(aggregate).segments({arguments, groups, HostPrimitives(rows, starts, pool), rows, starts, call.type,
                                       call.payload, pool, call.arguments});
}

void Segments::finish(Context& context, const std::vector<SegmentLane*>& lanes, const GroupPlaces& places,
                      std::vector<Batch>& groups) const {
  std::vector<int64_t> first{0};
  for (const Batch& batch : groups) first.push_back(first.back() + batch.rows);
  const Sorted sorted = sort(lanes, places, first.back(), context.pool);
  context.scheduler->run(context, static_cast<int64_t>(groups.size()), [&](int, int64_t b) {
    Batch& batch = groups[static_cast<size_t>(b)];
    for (const auto& one : aggregates_) {
      batch.columns.push_back(aggregate(one, sorted, first[static_cast<size_t>(b)], batch.rows, context.pool));
    }
  });
}

std::string Segments::device_lacks() const {
  for (const auto& aggregate : aggregates_) {
    if (!function(aggregate).info->portable) return std::string("the aggregate ") + function(aggregate).info->name;
    if (is_filtered(aggregate)) return "aggregates over some rows of a group";
  }
  return empty() ? "" : rows_.device_lacks();
}

std::vector<int> Segments::source_columns() const { return empty() ? std::vector<int>() : rows_.source_columns(); }

std::vector<Column> Segments::take(Context& context, const Batch& source, primitives::DeviceRows made,
                                   int64_t groups) const {
  const Batch rows = rows_.take(context, source, std::move(made));
  const OnDevice primitives(context.resident->device(), one_group_ ? memory::Buffer() : rows.columns.back().values,
                            groups);
  std::vector<Column> columns;
  for (const auto& aggregate : aggregates_) {
    const std::vector<Column> arguments = arguments_of(aggregate, rows.columns);
    columns.push_back(function(aggregate).segments(
        {arguments, groups, primitives, {}, {}, aggregate.call->type, aggregate.call->payload, context.pool, {}}));
  }
  return columns;
}

}  // namespace frazil::operators
