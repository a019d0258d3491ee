#include "operators/group_by/segments.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "execute/scheduler.hpp"
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

}  // namespace

Column Segments::aggregate(const lower::SegmentedAggregate& aggregate, const Sorted& sorted, int64_t first,
                           int64_t groups, const memory::PoolPtr& pool) const {
  const plan::Expression& call = *aggregate.call;
  std::vector<Column> arguments;
  for (const auto& argument : call.arguments) arguments.push_back(sorted.arguments[place_of(*argument)]);
  const uint32_t* start = sorted.start.as<uint32_t>() + first;
  std::vector<uint32_t> starts(start, start + groups + 1), kept;
  for (uint32_t& at : starts) at -= *start;
  std::span<const uint32_t> rows(sorted.rows.as<uint32_t>() + *start, starts.back());
  const lower::Function& function = expressions_.functions().at(expressions_.resolve(call));
  if (arguments.size() > static_cast<size_t>(function.info->arguments)) {
    kept.assign(rows.begin(), rows.end());
    filter_segments(arguments.back(), kept, starts);
    arguments.pop_back();
    rows = kept;
  }
  return function.segments({arguments, rows, starts, call.type, call.payload, pool, call.arguments});
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

}  // namespace frazil::operators
