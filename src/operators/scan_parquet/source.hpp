// Row groups of Parquet files as a pipeline's source.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/source.hpp"
#include "formats/parquet/scan.hpp"
#include "plan/expression.hpp"

namespace frazil::operators {

// What a scan is asked for.
struct ParquetRequest {
  std::vector<std::string> paths;
  columns::Schema fields;  // to read; those of the output first
  int64_t offset = 0;      // of the rows of all files
  int64_t length = INT64_MAX;
  plan::ExpressionPtr predicate;  // may be null: for leaving out row groups
};

// A task is a row group, or a part of one where batches are to be shorter.
class ParquetSource : public execute::Source {
 public:
  // `node`: its number, for reports.
  ParquetSource(execute::Context& context, const ParquetRequest& request, int node);
  ~ParquetSource() override;

  const execute::Facts& facts() const override { return facts_; }
  int64_t tasks() const override { return static_cast<int64_t>(tasks_.size()); }
  columns::Batch read(execute::Context& context, int64_t task) override;
  void restrict(execute::Context& context, std::span<const execute::Restriction> restrictions) override;
  int64_t rows_before(int64_t task) const override { return tasks_[static_cast<size_t>(task)].before; }
  // The files as they were found, and the rows of them that are read. Empty where a file is too young to tell.
  std::string key() const override { return key_; }

 private:
  struct Part;     // rows of a row group that are wanted
  struct Decoded;  // a row group whose batches have not all been taken
  struct Task {
    int64_t group, first, rows, ordinal, before;
  };

  std::vector<Part> choose(const ParquetRequest& request, const std::vector<formats::ScanFile>& files);
  static std::string key_of(const std::vector<formats::ScanFile>& files, const std::vector<Part>& parts);
  void report(execute::Context& context, int64_t row_groups, int64_t pruned, int64_t rows) const;
  columns::Batch decode(execute::Context& context, int64_t group) const;

  int node_;
  bool filters_;  // then its rows are counted behind the predicate
  std::string key_;
  execute::Facts facts_;
  std::unique_ptr<formats::Scan> scan_;
  std::vector<Task> tasks_;
  std::vector<std::unique_ptr<Decoded>> decoded_;  // per row group
  int64_t row_groups_pruned_ = 0;
};

}  // namespace frazil::operators
