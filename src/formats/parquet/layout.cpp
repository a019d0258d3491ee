#include "formats/parquet/layout.hpp"

#include <algorithm>

namespace frazil::formats {

using columns::DataType;
using columns::Interval;
using columns::Physical;
using columns::TypeId;

namespace {

int128 power2(int exponent) { return int128{1} << exponent; }
Interval range_of(int bits, bool is_unsigned) {
  if (is_unsigned) return {0, power2(bits) - 1};
  return {-power2(bits - 1), power2(bits - 1) - 1};
}

// What values of this dtype may be when they come from this leaf; absent where 128 bits are needed to say it.
std::optional<Interval> range_of(const DataType& type, const Leaf& leaf) {
  if (type.is_integer()) return range_of(8 * columns::plain_bytes(type), !type.is_signed_integer());
  if (leaf.stored == Stored::int32) return range_of(32, false);
  if (leaf.stored == Stored::int64) return range_of(64, false);
  if (leaf.stored == Stored::fixed && leaf.fixed_bytes < 16) return range_of(8 * leaf.fixed_bytes, false);
  return std::nullopt;
}

Interval hull(const std::optional<Interval>& a, const Interval& b) {
  return a ? Interval{std::min(a->low, b.low), std::max(a->high, b.high)} : b;
}

std::optional<Interval> interval_of(const DataType& type, std::span<const ColumnChunk> chunks) {
  std::optional<Interval> all;
  for (const ColumnChunk& part : chunks) {
    if (part.chunk->values == 0 || part.chunk->nulls == part.chunk->values) continue;
    std::optional<Interval> own = range_of(type, *part.leaf);
    if (const auto& told = part.chunk->bounds) {
      Interval both = own ? Interval{std::max(own->low, told->low), std::min(own->high, told->high)} : *told;
      if (both.low <= both.high) own = both;
    }
    if (!own) return std::nullopt;
    all = hull(all, *own);
  }
  return all;
}

// The narrowest signed array for an interval, and what is to be taken away from values so that they fit.
struct Width {
  int bytes;
  int128 base;
};

bool fits(const Interval& interval, int bytes) {
  const Interval range = range_of(8 * bytes, false);
  return interval.low >= range.low && interval.high <= range.high;
}

Width narrowest(const Interval& interval, int bytes_plain) {
  for (int bytes = 1; bytes < bytes_plain && bytes <= 8; bytes *= 2) {
    if (fits(interval, bytes)) return {bytes, 0};
    const int128 base = interval.low + power2(8 * bytes - 1);
    if (interval.high - interval.low < power2(8 * bytes) && base == static_cast<int64>(base)) return {bytes, base};
  }
  return {bytes_plain, 0};
}

Physical physical_of(int bytes) {
  switch (bytes) {
    case 1: return Physical::w1;
    case 2: return Physical::w2;
    case 4: return Physical::w4;
    case 8: return Physical::w8;
    default: return Physical::w16;
  }
}

}  // namespace

Layout choose_layout(const DataType& type, std::span<const ColumnChunk> chunks) {
  Layout layout;
  layout.like.type = type;
  layout.like.physical = columns::plain_physical(type);
  layout.nullable = std::any_of(chunks.begin(), chunks.end(),
                                [](const ColumnChunk& part) { return part.leaf->optional && part.chunk->nulls != 0; });
  if (!type.is_whole_number()) return layout;
  layout.like.interval = interval_of(type, chunks);
  if (!layout.like.interval) return layout;
  const int bytes_plain = columns::plain_bytes(type);
  const Width width = narrowest(*layout.like.interval, bytes_plain);
  if (width.bytes < bytes_plain) {
    layout.like.physical = physical_of(width.bytes);
    layout.like.encoding = columns::Encoding::narrow;
    layout.like.base = width.base;
  }
  return layout;
}

}  // namespace frazil::formats
