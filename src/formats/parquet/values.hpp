// Values of pages, without levels: how each stored type becomes rows of an array.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "formats/parquet/decode.hpp"
#include "formats/parquet/pages.hpp"

namespace frazil::formats {

class Values {
 public:
  Values(int bytes_per_row, memory::PoolPtr pool) : pool_(std::move(pool)), row_bytes_(bytes_per_row) {}
  virtual ~Values() = default;

  int row_bytes() const { return row_bytes_; }
  // Writes `count` values. True if they point into the page, which then has to stay.
  virtual bool plain(const PageBody& body, int64_t count, void* to) = 0;
  // True as for plain.
  virtual bool dictionary(const PageBody& body, int64_t count);
  virtual void codes(std::span<const uint8_t> runs, int bits, int64_t count, void* to);

 protected:
  bool has_dictionary_ = false;
  int64_t entries_ = 0;
  memory::Buffer entries_array_;  // decoded: row_bytes_ each
  memory::PoolPtr pool_;

 private:
  int row_bytes_;
};

// For all but booleans. `characters` takes the pages that stay.
std::unique_ptr<Values> values_for(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool,
                                   std::vector<memory::Buffer>& characters);

// Throws compute: the statistics of a column exclude a value that it has.
[[noreturn]] void fail_statistics(const Leaf& leaf);

}  // namespace frazil::formats
