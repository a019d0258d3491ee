#include "operators/scan_parquet/source.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>

#include "execute/scheduler.hpp"
#include "lower/expression.hpp"
#include "operators/scan_parquet/prune.hpp"

namespace frazil::operators {

using columns::Batch;

struct ParquetSource::Part {
  formats::RowGroupPlace place;
  int64_t first, rows, ordinal;
};

struct ParquetSource::Decoded {
  std::mutex mutex;
  std::optional<Batch> batch;
  int64_t tasks_left = 0;
};

namespace {

FactsOf facts_of_row_group(const formats::FileMetadata& metadata, const formats::RowGroup& group) {
  return [&](const std::string& name) -> ColumnFacts {
    const int leaf = metadata.find(name);
    if (leaf < 0) return {};
    const formats::Chunk& chunk = group.chunks[static_cast<size_t>(leaf)];
    return {chunk.nulls == chunk.values, chunk.bounds};
  };
}

}  // namespace

std::vector<ParquetSource::Part> ParquetSource::choose(const ParquetRequest& request,
                                                       const std::vector<formats::ScanFile>& files) {
  std::vector<plan::ExpressionPtr> conjuncts;
  if (request.predicate) lower::split_conjuncts(request.predicate, conjuncts);
  std::vector<Part> parts;
  int64_t start = 0;  // of the row group among the rows of all files
  const int64_t end = request.length > INT64_MAX - request.offset ? INT64_MAX : request.offset + request.length;
  for (size_t f = 0; f < files.size(); ++f) {
    const formats::FileMetadata& metadata = *files[f].metadata;
    for (size_t g = 0; g < metadata.row_groups.size(); ++g) {
      const formats::RowGroup& group = metadata.row_groups[g];
      const int64_t from = std::max(request.offset, start), to = std::min(end, start + group.rows);
      const int64_t first = from - start;
      start += group.rows;
      if (from >= to) continue;
      const bool pruned = std::any_of(conjuncts.begin(), conjuncts.end(), [&](const plan::ExpressionPtr& conjunct) {
        return contradicts(*conjunct, facts_of_row_group(metadata, group));
      });
      row_groups_pruned_ += pruned;
      if (!pruned) parts.push_back({{static_cast<int>(f), static_cast<int>(g)}, first, to - from, from});
    }
  }
  return parts;
}

// A file that was written a moment ago may be written again without a trace in its times.
std::string ParquetSource::key_of(const std::vector<formats::ScanFile>& files, const std::vector<Part>& parts) {
  constexpr int64_t kSettledNs = 2'000'000'000;
  const int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::string key = "parquet";
  for (const formats::ScanFile& file : files) {
    const formats::FileIdentity& identity = file.file->identity();
    if (now - identity.changed_ns < kSettledNs) return "";
    key += "\n" + file.file->path();
    for (int64_t part :
         {identity.bytes, identity.modified_ns, identity.changed_ns, static_cast<int64_t>(identity.inode)}) {
      key += ":" + std::to_string(part);
    }
  }
  for (const Part& part : parts) {
    key += "\n" + std::to_string(part.place.file) + "." + std::to_string(part.place.group) + "+" +
           std::to_string(part.first) + ":" + std::to_string(part.rows);
  }
  return key;
}

ParquetSource::ParquetSource(execute::Context& context, const ParquetRequest& request, int node)
    : node_(node), filters_(request.predicate != nullptr) {
  std::vector<formats::ScanFile> files = formats::open_files(request.paths);
  const std::vector<Part> parts = choose(request, files);
  std::vector<formats::RowGroupPlace> places;
  places.reserve(parts.size());
  for (const Part& part : parts) places.push_back(part.place);
  key_ = key_of(files, parts);
  scan_ = std::make_unique<formats::Scan>(std::move(files), request.fields, std::move(places), context.pool,
                                          execute::on_all_threads(context));
  for (size_t g = 0; g < parts.size(); ++g) {
    const Part& part = parts[g];
    const int64_t step = context.batch_rows > 0 ? context.batch_rows : part.rows;
    decoded_.push_back(std::make_unique<Decoded>());
    for (int64_t row = 0; row < part.rows; row += step) {
      tasks_.push_back({static_cast<int64_t>(g), part.first + row, std::min(step, part.rows - row), part.ordinal + row,
                        facts_.rows + row});
      ++decoded_.back()->tasks_left;
    }
    facts_.rows += part.rows;
  }
  for (size_t f = 0; f < request.fields.size(); ++f) {
    const formats::Layout& layout = scan_->layouts()[f];
    facts_.columns.push_back(execute::describe(request.fields[f].name, layout.like));
    facts_.columns.back().nullable = layout.nullable;
  }
  report(context, row_groups_pruned_ + scan_->groups(), row_groups_pruned_, facts_.rows);
}

// What came to what the node has reported.
void ParquetSource::report(execute::Context& context, int64_t row_groups, int64_t pruned, int64_t rows) const {
  execute::NodeReport& report = context.nodes[static_cast<size_t>(node_)];
  if (!filters_) report.rows += rows;
  report.row_groups += row_groups;
  report.row_groups_pruned += pruned;
  if (report.row_groups_pruned > 0) {
    report.node = "scan_parquet, " + std::to_string(report.row_groups_pruned) + " of " +
                  std::to_string(report.row_groups) + " row groups left out";
  }
}

void ParquetSource::restrict(execute::Context& context, std::span<const execute::Restriction> restrictions) {
  std::vector<bool> unwanted;
  for (int64_t group = 0; group < scan_->groups(); ++group) {
    unwanted.push_back(std::any_of(restrictions.begin(), restrictions.end(), [&](const auto& restriction) {
      const formats::Chunk& chunk = scan_->chunk(group, static_cast<size_t>(restriction.column));
      return excludes({chunk.nulls == chunk.values, chunk.bounds}, restriction.values);
    }));
  }
  const int64_t rows_before = facts_.rows;
  facts_.rows = 0;
  std::erase_if(tasks_, [&](const Task& task) { return unwanted[static_cast<size_t>(task.group)]; });
  for (Task& task : tasks_) {
    task.before = facts_.rows;
    facts_.rows += task.rows;
  }
  report(context, 0, std::count(unwanted.begin(), unwanted.end(), true), facts_.rows - rows_before);
}

ParquetSource::~ParquetSource() = default;

Batch ParquetSource::decode(execute::Context& context, int64_t group) const {
  return {scan_->rows(group), scan_->read(group, [&] { context.check_cancelled(); })};
}

Batch ParquetSource::read(execute::Context& context, int64_t number) {
  const Task& task = tasks_[static_cast<size_t>(number)];
  Decoded& decoded = *decoded_[static_cast<size_t>(task.group)];
  std::lock_guard lock(decoded.mutex);
  if (!decoded.batch) decoded.batch = decode(context, task.group);
  const bool whole = task.rows == decoded.batch->rows;
  Batch batch = whole ? *decoded.batch : columns::slice(*decoded.batch, task.first, task.rows);
  batch.ordinal = task.ordinal;
  if (--decoded.tasks_left == 0) decoded.batch.reset();
  return batch;
}

}  // namespace frazil::operators
