// Row groups of several files as columns of one layout each. Reading a row group is the work of one thread; several may
// read at the same time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/parquet/dictionary.hpp"
#include "formats/parquet/file.hpp"
#include "formats/parquet/layout.hpp"

namespace frazil::formats {

struct ScanFile {
  FilePtr file;
  std::shared_ptr<const FileMetadata> metadata;
};
FRAZIL_API ScanFile open_file(const std::string& path);
FRAZIL_API std::vector<ScanFile> open_files(const std::vector<std::string>& paths);

struct RowGroupPlace {
  int file;
  int group;
};

// Why a column cannot be read.
struct Problem {
  std::string code, message;
};
// What keeps the fields from being read from this file.
FRAZIL_API std::vector<Problem> find_problems(const FileMetadata& metadata, const columns::Schema& fields);

class FRAZIL_API Scan {
 public:
  // The fields have no problems in any file. Reads the dictionaries of text columns.
  Scan(std::vector<ScanFile> files, columns::Schema fields, std::vector<RowGroupPlace> groups, memory::PoolPtr pool,
       const Parallel& parallel);

  const columns::Schema& fields() const { return fields_; }
  const std::vector<Layout>& layouts() const { return layouts_; }
  int64_t groups() const { return static_cast<int64_t>(groups_.size()); }
  int64_t rows(int64_t group) const { return row_group(group).rows; }
  // What the file tells of a field in a row group.
  const Chunk& chunk(int64_t group, size_t field) const { return *part(group, field).chunk; }

  // All rows of a row group. `between` is called before each page; it may throw.
  std::vector<columns::Column> read(int64_t group, const std::function<void()>& between) const;

 private:
  const RowGroup& row_group(int64_t group) const;
  const ScanFile& file(int64_t group) const {
    return files_[static_cast<size_t>(groups_[static_cast<size_t>(group)].file)];
  }
  ColumnChunk part(int64_t group, size_t field) const;
  columns::Column read_column(int64_t group, size_t field, const std::function<void()>& between) const;

  std::vector<ScanFile> files_;
  columns::Schema fields_;
  std::vector<RowGroupPlace> groups_;
  memory::PoolPtr pool_;
  std::vector<std::vector<int>> leaves_;  // per file and field
  std::vector<Layout> layouts_;
  std::vector<ScanDictionary> dictionaries_;  // per field
};

}  // namespace frazil::formats
