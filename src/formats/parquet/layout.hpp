// The one physical layout that a column has in all row groups of a scan, chosen from their statistics.
#pragma once

#include <span>

#include "formats/parquet/metadata.hpp"

namespace frazil::formats {

// The chunks of one column that a scan reads.
struct ColumnChunk {
  const Leaf* leaf;
  const Chunk* chunk;
};

struct Layout {
  columns::Column like;  // without rows: dtype, physical array, encoding, base, dictionary, and the interval to keep
  bool nullable = false;
};

// Whole numbers get the narrowest array that the statistics prove; the interval is for the decoder to hold them to.
FRAZIL_API Layout choose_layout(const columns::DataType& type, std::span<const ColumnChunk> chunks);

}  // namespace frazil::formats
