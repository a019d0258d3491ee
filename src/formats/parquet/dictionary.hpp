// Dictionaries of a scan's text columns: one for all row groups, put together before any row is read.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/parquet/file.hpp"
#include "formats/parquet/layout.hpp"

namespace frazil::formats {

constexpr int64_t kDictionaryMax = 64 << 10;  // values; codes then have two bytes at most

// Calls work(task) for each task, maybe on several threads.
using Parallel = std::function<void(int64_t tasks, const std::function<void(int64_t)>& work)>;

// A column chunk where it lies.
struct StoredChunk {
  const File* file;
  ColumnChunk part;
};

struct ScanDictionary {
  std::shared_ptr<const columns::Column> values;  // null: the column is not read as codes
  std::vector<memory::Buffer> code_maps;          // per chunk: its codes (uint16_t) in `values`
};

// The dictionary of a text column, if all of its pages have codes, its values repeat, and there are at most
// kDictionaryMax of them.
ScanDictionary unite_dictionaries(const columns::DataType& type, std::span<const StoredChunk> chunks,
                                  const memory::PoolPtr& pool, const Parallel& parallel);

}  // namespace frazil::formats
