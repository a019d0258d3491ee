// Sorts row numbers by several keys: one stable radix sort a key, from the last to the first.
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "primitives/cuda/cuda_device.hpp"
#include "primitives/ordered_bits.hpp"

namespace frazil::primitives::cuda {
namespace {

using columns::Column;
using columns::Encoding;

// How a key becomes a number of `bits` that orders as its values do; nulls are 0 or above all.
struct Rule {
  uint64 low;   // of whole numbers, or the sign bit where nothing is known
  uint64 high;  // of ordered numbers
  int bits;     // of values alone
  bool is_float, is_bits, descending, nulls_last;
  bool nulls_apart;  // no bit is left for nulls: they are told by a sort of its own, and are all 0 in this one
  int part;          // of 16-byte numbers: 1 the upper 8 bytes, 0 the lower ones
  const uint32* ranks;
  const uint32* validity;
};

template <class T>
__device__ uint64 ordered(const T& value, const Rule& rule) {
  if constexpr (sizeof(T) == 16) {
    return rule.part ? static_cast<uint64>(value >> 64) - rule.low : static_cast<uint64>(value);
  } else if constexpr (__is_same(T, float) || __is_same(T, double)) {
    return ordered_bits(value);
  } else {
    if (rule.ranks) return rule.ranks[value];
    return static_cast<uint64>(value) - rule.low;
  }
}

// `numbers` null: rows in their own order.
template <class T>
__global__ void make_keys(const T* values, Rule rule, const uint32* numbers, int64 rows, uint64* keys) {
  const int64 at = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= rows) return;
  const int64 row = numbers ? numbers[at] : at;
  if (rule.validity && !(rule.validity[row >> 5] >> (row & 31) & 1)) {
    keys[at] = rule.nulls_last && !rule.nulls_apart ? rule.high + 1 : 0;
    return;
  }
  uint64 key;
  if (rule.is_bits) key = reinterpret_cast<const uint32*>(values)[row >> 5] >> (row & 31) & 1;
  else key = ordered(values[row], rule);
  if (rule.descending) key = rule.high - key;
  keys[at] = key + (rule.validity && !rule.nulls_last && !rule.nulls_apart ? 1 : 0);
}

__global__ void null_keys(Rule rule, const uint32* numbers, int64 rows, uint64* keys) {
  const int64 at = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= rows) return;
  const int64 row = numbers ? numbers[at] : at;
  const bool valid = rule.validity[row >> 5] >> (row & 31) & 1;
  keys[at] = valid != rule.nulls_last;
}

__global__ void count_up(uint32* numbers, int64 rows) {
  const int64 at = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at < rows) numbers[at] = static_cast<uint32>(at);
}

bool is_unsigned(const Column& column) {
  using columns::TypeId;
  const bool codes = column.encoding == Encoding::dictionary || column.type.id == TypeId::categorical ||
                     column.type.id == TypeId::enumeration;
  return codes ||
         (column.encoding != Encoding::narrow && column.type.id >= TypeId::uint8 && column.type.id <= TypeId::uint128);
}

Rule rule_of(const DeviceSortKey& key) {
  const Column& column = *key.column;
  Rule rule{};
  rule.descending = key.descending;
  rule.nulls_last = key.nulls_last;
  rule.validity = column.validity.as<uint32>();
  rule.is_float = column.type.is_float();
  rule.is_bits = column.physical == columns::Physical::bits;
  const int bytes = columns::bytes_per_row(column.physical);
  if (rule.is_bits) {
    rule.bits = 1;
  } else if (!key.ranks.empty()) {
    rule.bits = std::bit_width(key.ranks.size());
  } else if (rule.is_float) {
    rule.bits = bytes * 8;
  } else if (bytes < 16 && column.interval) {
    rule.low = static_cast<uint64>(static_cast<int64>(column.interval->low - column.base));
    rule.bits = std::bit_width(static_cast<uint64>(static_cast<int64>(column.interval->high - column.base)) - rule.low);
  } else {
    rule.bits = bytes < 8 ? bytes * 8 : 64;
    // The lowest value becomes 0.
    if (!is_unsigned(column)) rule.low = ~uint64{0} << (rule.bits - 1);
  }
  rule.high = rule.bits >= 64 ? ~uint64{0} : (uint64{1} << rule.bits) - 1;
  rule.nulls_apart = rule.validity && rule.bits >= 64;
  return rule;
}

template <class F>
void with_values(const Column& column, F f) {
  const bool plain = is_unsigned(column);
  switch (columns::bytes_per_row(column.physical)) {
    case 1: return plain ? f(uint8{}) : f(int8{});
    case 2: return plain ? f(uint16{}) : f(int16{});
    case 4: return column.type.is_float() ? f(float{}) : plain ? f(uint32{}) : f(int32{});
    case 8: return column.type.is_float() ? f(double{}) : plain ? f(uint64{}) : f(int64{});
    case 16: return plain ? f(uint128{}) : f(int128{});
    default: return f(uint8{});  // bits
  }
}

}  // namespace

memory::Buffer CudaDevice::order(std::span<const DeviceSortKey> keys, int64_t rows) {
  const Turn turn(*this);
  const int blocks = std::max(blocks_for(rows), 1);
  memory::Buffer numbers = allocate(rows * 4), other = allocate(rows * 4);
  memory::Buffer values = allocate(rows * 8), sorted = allocate(rows * 8);
  count_up<<<blocks, kBlock, 0, stream_>>>(numbers.mutable_as<uint32>(), rows);
  FZ_CUDA_TRY(cudaGetLastError());
  if (rows == 0) return numbers;
  size_t bytes = 0;
  FZ_CUDA_TRY(cub::DeviceRadixSort::SortPairs(nullptr, bytes, values.as<uint64>(), sorted.mutable_as<uint64>(),
                                              numbers.as<uint32>(), other.mutable_as<uint32>(), rows, 0, 64, stream_));
  memory::Buffer scratch = allocate(static_cast<int64_t>(bytes));
  auto sort = [&](int bits) {
    FZ_CUDA_TRY(cudaGetLastError());
    FZ_CUDA_TRY(cub::DeviceRadixSort::SortPairs(scratch.mutable_as(), bytes, values.as<uint64>(),
                                                sorted.mutable_as<uint64>(), numbers.as<uint32>(),
                                                other.mutable_as<uint32>(), rows, 0, std::clamp(bits, 1, 64), stream_));
    std::swap(numbers, other);
  };
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    Rule rule = rule_of(*key);
    memory::Buffer ranks;
    if (!key->ranks.empty()) {
      ranks = copied(key->ranks.data(), key->ranks.size());
      rule.ranks = ranks.as<uint32>();
    }
    const int parts = columns::bytes_per_row(key->column->physical) == 16 ? 2 : 1;
    for (rule.part = 0; rule.part < parts; ++rule.part) {
      with_values(*key->column, [&](auto zero) {
        using T = decltype(zero);
        make_keys<<<blocks, kBlock, 0, stream_>>>(key->column->values.as<T>(), rule, numbers.as<uint32>(), rows,
                                                  values.mutable_as<uint64>());
      });
      sort(rule.bits + (rule.validity && !rule.nulls_apart ? 1 : 0));
    }
    if (!rule.nulls_apart) continue;
    null_keys<<<blocks, kBlock, 0, stream_>>>(rule, numbers.as<uint32>(), rows, values.mutable_as<uint64>());
    sort(1);
  }
  return numbers;
}

}  // namespace frazil::primitives::cuda
