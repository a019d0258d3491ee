// The pages of a column chunk that lies in memory, one after the other, and their bodies decompressed.
#pragma once

#include <span>

#include "formats/parquet/metadata.hpp"
#include "memory/pool.hpp"

namespace frazil::formats {

struct Page {
  PageHeader header;
  int64_t offset = 0;  // of its body in the chunk
};

class PageReader {
 public:
  explicit PageReader(std::span<const uint8_t> chunk) : chunk_(chunk) {}
  // The next page with values or a dictionary; false at the end. Throws compute for what does not lie in the chunk.
  bool next(Page& page);

 private:
  std::span<const uint8_t> chunk_;
  int64_t at_ = 0;
};

// Throws compute unless the data pages have `values` values together.
void check_values(std::span<const uint8_t> chunk, int64_t values);

// A page's body: levels if its column has any, and values. `owner` keeps both alive.
struct PageBody {
  memory::Buffer owner;
  std::span<const uint8_t> levels, values;
};

// Decompresses into `scratch` where it is large enough, else into a buffer that becomes the new scratch.
PageBody open_page(const memory::Buffer& chunk, const Page& page, Codec codec, bool has_levels,
                   const memory::PoolPtr& pool, memory::Buffer& scratch);

}  // namespace frazil::formats
