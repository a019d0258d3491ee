#include <algorithm>

#include "primitives/cpu/moved_rows.hpp"

namespace frazil::primitives {

using namespace columns;

namespace {

using Indices = std::span<const uint32_t>;

bool any_missing(Indices indices) {
  bool missing = false;
  for (uint32_t index : indices) missing |= index == kNoRow;
  return missing;
}

template <class T>
void gather_rows(const T* in, Indices indices, bool missing, T* out) {
  if (!missing) {
    for (size_t i = 0; i < indices.size(); ++i) out[i] = in[indices[i]];
    return;
  }
  for (size_t i = 0; i < indices.size(); ++i) out[i] = indices[i] != kNoRow ? in[indices[i]] : T{};
}

memory::Buffer gather_values(const Column& column, Indices indices, bool missing, const memory::PoolPtr& pool) {
  int64_t rows = static_cast<int64_t>(indices.size());
  memory::Buffer values = pool->allocate(rows * bytes_per_row(column.physical), kMoveWho);
  with_row_type(column.physical, [&](auto row) {
    using T = decltype(row);
    gather_rows(rows_of<T>(column), indices, missing, values.mutable_as<T>());
  });
  return values;
}

// Calls `bit(index)` for each row and packs what it says; a missing row has bit 0.
template <class Bit>
memory::Buffer pack_bits(Indices indices, const memory::PoolPtr& pool, Bit bit) {
  memory::Buffer packed = allocate_bits(static_cast<int64_t>(indices.size()), pool);
  uint64* out = packed.mutable_as<uint64>();
  for (size_t first = 0; first < indices.size(); first += 64) {
    size_t count = std::min<size_t>(indices.size() - first, 64);
    uint64 word = 0;
    for (size_t i = 0; i < count; ++i) {
      uint32_t index = indices[first + i];
      word |= uint64{index != kNoRow && bit(index)} << i;
    }
    *out++ = word;
  }
  return packed;
}

memory::Buffer gather_bits(const memory::Buffer& bits, int64_t offset, Indices indices, const memory::PoolPtr& pool) {
  const uint8* bytes = bits.as<uint8>();
  return pack_bits(indices, pool, [=](uint32_t index) { return bit_at(bytes, offset + index); });
}

memory::Buffer gather_validity(const Column& column, Indices indices, bool missing, const memory::PoolPtr& pool) {
  if (!column.validity && !missing) return {};
  memory::Buffer validity = column.validity ? gather_bits(column.validity, column.offset, indices, pool)
                                            : pack_bits(indices, pool, [](uint32_t) { return true; });
  return unless_all_set(std::move(validity), static_cast<int64_t>(indices.size()));
}

void check_child_rows(int64_t rows) {
  if (rows >= kNoRow) {
    fail(ErrorKind::compute, "a batch has lists of " + std::to_string(rows) +
                                 " values together, at most 4294967294 can be moved; use smaller batches");
  }
}

// Offsets of the gathered lists; null and missing rows become empty.
memory::Buffer gather_offsets(const Column& column, Indices indices, const memory::PoolPtr& pool) {
  const int64_t* in = rows_of<int64_t>(column);
  memory::Buffer offsets = pool->allocate((static_cast<int64_t>(indices.size()) + 1) * 8, kMoveWho);
  int64_t* out = offsets.mutable_as<int64_t>();
  int64_t end = 0;
  *out = 0;
  for (uint32_t index : indices) {
    if (index != kNoRow && column.is_valid(index)) end += in[index + int64_t{1}] - in[index];
    *++out = end;
  }
  return offsets;
}

void gather_list(const Column& column, Indices indices, const memory::PoolPtr& pool, Column* out) {
  const int64_t* in = rows_of<int64_t>(column);
  Column child = slice(column.children[0], in[0], in[column.rows] - in[0]);
  check_child_rows(child.rows);
  out->values = gather_offsets(column, indices, pool);
  const int64_t* offsets = out->values.as<int64_t>();
  int64_t child_rows = offsets[indices.size()];
  memory::Buffer child_indices = pool->allocate(child_rows * 4, kMoveWho);
  uint32* at = child_indices.mutable_as<uint32>();
  for (size_t i = 0; i < indices.size(); ++i) {
    int64_t count = offsets[i + 1] - offsets[i];
    if (count == 0) continue;
    uint32 first = static_cast<uint32>(in[indices[i]] - in[0]);
    for (int64_t k = 0; k < count; ++k) *at++ = first + static_cast<uint32>(k);
  }
  out->children.push_back(gather(child, {child_indices.as<uint32>(), static_cast<size_t>(child_rows)}, pool));
}

void gather_array(const Column& column, Indices indices, const memory::PoolPtr& pool, Column* out) {
  const Column& child = column.children[0];
  check_child_rows(child.rows);
  uint32 width = static_cast<uint32>(column.type.width);
  int64_t child_rows = static_cast<int64_t>(indices.size()) * column.type.width;
  memory::Buffer child_indices = pool->allocate(child_rows * 4, kMoveWho);
  uint32* at = child_indices.mutable_as<uint32>();
  for (uint32_t index : indices) {
    for (uint32 k = 0; k < width; ++k) *at++ = index != kNoRow ? index * width + k : kNoRow;
  }
  out->children.push_back(gather(child, {child_indices.as<uint32>(), static_cast<size_t>(child_rows)}, pool));
}

// A constant stays one unless missing rows mix nulls into its value.
Column gather_constant(const Column& column, Indices indices, const memory::PoolPtr& pool) {
  int64_t rows = static_cast<int64_t>(indices.size());
  if (!any_missing(indices) || (column.rows > 0 && !column.is_valid(0))) {
    Column out = column;
    out.rows = rows;
    return out;
  }
  Column one = column;
  one.rows = std::min<int64_t>(column.rows, 1);
  one = decode(one, pool);
  memory::Buffer first_or_missing = pool->allocate(rows * 4, kMoveWho);
  uint32* at = first_or_missing.mutable_as<uint32>();
  for (uint32_t index : indices) *at++ = index != kNoRow ? 0 : kNoRow;
  return gather(one, {first_or_missing.as<uint32>(), indices.size()}, pool);
}

}  // namespace

Column gather(const Column& column, std::span<const uint32_t> indices, const memory::PoolPtr& pool) {
  if (column.encoding == Encoding::constant) return gather_constant(column, indices, pool);
  bool missing = any_missing(indices);
  Column out = without_rows(column, static_cast<int64_t>(indices.size()));
  out.validity = gather_validity(column, indices, missing, pool);
  if (column.physical == Physical::offsets) {
    gather_list(column, indices, pool, &out);
  } else if (column.type.id == TypeId::array) {
    gather_array(column, indices, pool, &out);
  } else if (column.physical == Physical::bits) {
    out.values = gather_bits(column.values, column.offset, indices, pool);
  } else if (column.physical != Physical::none) {
    out.values = gather_values(column, indices, missing, pool);
  } else {
    for (const Column& child : column.children) out.children.push_back(gather(child, indices, pool));
  }
  return out;
}

}  // namespace frazil::primitives
