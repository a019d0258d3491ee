// A column chunk in memory becomes an array of its column's layout.
#pragma once

#include <functional>
#include <span>

#include "formats/parquet/layout.hpp"
#include "memory/pool.hpp"

namespace frazil::formats {

// Codes of a chunk's dictionary page in the column's dictionary.
using CodeMap = std::span<const uint16_t>;

struct ChunkInput {
  ColumnChunk part;
  memory::Buffer bytes;                   // all of its pages
  CodeMap codes;                          // where the layout has a dictionary
  std::function<void()> between = [] {};  // called before each page; may throw
};

// Writes the chunk's rows into `to`, which has the layout's buffers for them: values, and a validity of whole words
// where it is nullable. Texts stay in the pages, which are added to its characters. Validity is dropped if no row is
// null. Throws compute for damaged pages and for values that the file's statistics exclude.
FRAZIL_API void decode_chunk(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool,
                             columns::Column& to);

// The same, with buffers of its own.
FRAZIL_API columns::Column decode_chunk(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool);

}  // namespace frazil::formats
