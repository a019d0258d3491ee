#include <algorithm>

#include "primitives/cpu/moved_rows.hpp"

namespace frazil::primitives {

using namespace columns;

namespace {

// Below this many set bits in a word, jumping from one to the next beats a pass over all 64.
constexpr int kDenseBits = 16;

// Calls `visit(word, first_row, count)` for each word of the mask that keeps a row.
template <class Visit>
void for_each_kept_word(const uint64* mask, int64_t rows, Visit visit) {
  for (int64_t first = 0; first < rows; first += 64) {
    int count = static_cast<int>(std::min<int64_t>(rows - first, 64));
    uint64 word = mask[first / 64] & low_bits(count);
    if (word != 0) visit(word, first, count);
  }
}

int64_t count_kept(const uint64* mask, int64_t rows) {
  int64_t kept = 0;
  for_each_kept_word(mask, rows, [&](uint64 word, int64_t, int) { kept += std::popcount(word); });
  return kept;
}

template <class T>
T* filter_word(const T* in, uint64 word, int count, T* out) {
  int ones = std::popcount(word);
  if (ones == count) {
    std::memcpy(out, in, sizeof(T) * static_cast<size_t>(count));
    return out + count;
  }
  if (ones < kDenseBits) {
    for (; word != 0; word &= word - 1) *out++ = in[std::countr_zero(word)];
    return out;
  }
  // Writes every row and steps on for those kept; the last write may lie in the padding of the output.
  for (int i = 0; i < count; ++i) {
    *out = in[i];
    out += word >> i & 1;
  }
  return out;
}

memory::Buffer filter_values(const Column& column, const uint64* mask, int64_t kept, const memory::PoolPtr& pool) {
  memory::Buffer values = pool->allocate(kept * bytes_per_row(column.physical), kMoveWho);
  with_row_type(column.physical, [&](auto row) {
    using T = decltype(row);
    const T* in = rows_of<T>(column);
    T* out = values.mutable_as<T>();
    for_each_kept_word(mask, column.rows,
                       [&](uint64 word, int64_t first, int count) { out = filter_word(in + first, word, count, out); });
  });
  return values;
}

// The bits of `bits` at the places that are set in `word`, close together.
uint64 compress(uint64 bits, uint64 word) {
  uint64 packed = 0;
  for (int at = 0; word != 0; word &= word - 1, ++at) packed |= (bits >> std::countr_zero(word) & 1) << at;
  return packed;
}

memory::Buffer filter_bits(const memory::Buffer& bits, const Column& column, const uint64* mask, int64_t kept,
                           const memory::PoolPtr& pool) {
  memory::Buffer filtered = allocate_bits(kept, pool);
  BitAppender out(filtered.mutable_as<uint64>());
  const uint8* bytes = bits.as<uint8>();
  for_each_kept_word(mask, column.rows, [&](uint64 word, int64_t first, int count) {
    uint64 in = load_bits(bytes, column.offset + first, count);
    int ones = std::popcount(word);
    bool all = (in & word) == word;
    out.append(all ? low_bits(ones) : compress(in, word), ones);
  });
  out.finish();
  return filtered;
}

memory::Buffer kept_rows(const uint64* mask, int64_t rows, int64_t kept, const memory::PoolPtr& pool) {
  FZ_CHECK(rows <= kNoRow);
  memory::Buffer indices = pool->allocate(kept * 4, kMoveWho);
  uint32* out = indices.mutable_as<uint32>();
  for_each_kept_word(mask, rows, [&](uint64 word, int64_t first, int) {
    for (; word != 0; word &= word - 1) *out++ = static_cast<uint32>(first + std::countr_zero(word));
  });
  return indices;
}

}  // namespace

Column filter(const Column& column, const uint64_t* mask, int64_t kept, const memory::PoolPtr& pool) {
  FZ_CHECK(count_kept(mask, column.rows) == kept);
  if (kept == column.rows) return column;
  if (column.encoding == Encoding::constant) return slice(column, 0, kept);
  if (column.physical == Physical::offsets || column.type.id == TypeId::array) {
    memory::Buffer indices = kept_rows(mask, column.rows, kept, pool);
    return gather(column, {indices.as<uint32>(), static_cast<size_t>(kept)}, pool);
  }
  Column out = without_rows(column, kept);
  if (column.validity) out.validity = filter_bits(column.validity, column, mask, kept, pool);
  if (column.validity) out.validity = unless_all_set(std::move(out.validity), kept);
  if (column.physical == Physical::bits) {
    out.values = filter_bits(column.values, column, mask, kept, pool);
  } else if (column.physical != Physical::none) {
    out.values = filter_values(column, mask, kept, pool);
  }
  for (const Column& child : column.children) out.children.push_back(filter(child, mask, kept, pool));
  return out;
}

}  // namespace frazil::primitives
