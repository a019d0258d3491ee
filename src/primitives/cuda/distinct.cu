// Different values of groups: each pair of a group and a value claims a place in one table by its row number.
#include <algorithm>

#include "primitives/cuda/build_side.hpp"
#include "primitives/cuda/cuda_device.hpp"
#include "primitives/cuda/table.cuh"
#include "primitives/ordered_bits.hpp"

namespace frazil::primitives::cuda {
namespace {

using columns::Physical;
using columns::TypeId;
using program::RegisterView;

// How a row's value is compared.
template <class T>
struct Stored {
  const T* values;
  __device__ T operator()(int64 row) const { return values[row]; }
};
template <class T>
struct Widened64 {
  const T* values;
  __device__ uint64 operator()(int64 row) const { return values[row]; }
};
template <class T>
struct Real {
  const T* values;
  __device__ uint64 operator()(int64 row) const { return ordered_bits(values[row]); }
};
struct Truth {
  const uint32* words;
  __device__ uint64 operator()(int64 row) const { return words[row >> 5] >> (row & 31) & 1; }
};

// `groups` null: there is one.
template <class Value>
__global__ void count_pairs(Value value, const uint32* validity, const uint32* groups, int64 rows, uint32* row_of_place,
                            uint64 wrap, uint32* counts) {
  const int64 row = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  auto is_valid = [&](int64 r) { return !validity || validity[r >> 5] >> (r & 31) & 1; };
  const uint32 group = groups ? groups[row] : 0;
  const bool valid = is_valid(row);
  const uint64 hash = valid ? hash_of(value(row)) : 0;
  for (uint64 at = mix(hash ^ mix(group + 1ull)) & wrap;; at = (at + 1) & wrap) {
    uint32 before = *static_cast<volatile uint32*>(&row_of_place[at]);
    if (before == kNoPlace) before = atomicCAS(&row_of_place[at], kNoPlace, static_cast<uint32>(row));
    if (before == kNoPlace) {
      atomicAdd(&counts[group], 1u);
      return;
    }
    if ((groups ? groups[before] : 0) != group || is_valid(before) != valid) continue;
    if (!valid || equal_keys(value(before), value(row))) return;
  }
}

}  // namespace

memory::Buffer CudaDevice::count_distinct(const columns::Column& column, const memory::Buffer& numbers,
                                          int64_t groups) {
  const Turn turn(*this);
  memory::Buffer counts = allocate_filled(groups * 4, 0);
  if (column.rows == 0) return counts;
  const int64_t places = power_of_two(2 * column.rows);
  memory::Buffer table = allocate_filled(places * 4, 0xff);
  auto count = [&](auto value) {
    count_pairs<<<blocks_for(column.rows), kBlock, 0, stream_>>>(
        value, column.validity.as<uint32>(), numbers.as<uint32>(), column.rows, table.mutable_as<uint32>(),
        static_cast<uint64>(places - 1), counts.mutable_as<uint32>());
  };
  const memory::Buffer& values = column.values;
  switch (column.physical) {
    case Physical::bits: count(Truth{values.as<uint32>()}); break;
    case Physical::w1: count(Widened64<uint8>{values.as<uint8>()}); break;
    case Physical::w2: count(Widened64<uint16>{values.as<uint16>()}); break;
    case Physical::w4:
      if (column.type.id == TypeId::float32) count(Real<float>{values.as<float>()});
      else count(Widened64<uint32>{values.as<uint32>()});
      break;
    case Physical::w8:
      if (column.type.id == TypeId::float64) count(Real<double>{values.as<double>()});
      else count(Stored<uint64>{values.as<uint64>()});
      break;
    case Physical::w16: count(Stored<uint128>{values.as<uint128>()}); break;
    case Physical::view: count(Stored<RegisterView>{values.as<RegisterView>()}); break;
    default: fail(ErrorKind::internal, "count_distinct: a column of " + column.type.name());
  }
  FZ_CUDA_TRY(cudaGetLastError());
  return counts;
}

}  // namespace frazil::primitives::cuda
