// Build sides: their tables, and what a probe found spelled out where a key has several rows.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "primitives/cuda/build_side.hpp"
#include "primitives/cuda/cuda_device.hpp"
#include "primitives/cuda/table.cuh"

namespace frazil::primitives::cuda {
namespace {

using program::RegisterView;

__device__ __forceinline__ int64 thread_number() { return int64{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ __forceinline__ bool has_bit(const uint32* words, int64 row) {
  return !words || words[row >> 5] >> (row & 31) & 1;
}

__global__ void place_rows(const uint64* keys, const uint32* validity, int64 rows, uint32* row_of_key,
                           RowOutcome* outcome) {
  const int64 row = thread_number();
  if (row >= rows || !has_bit(validity, row)) return;
  if (atomicMin(&row_of_key[keys[row]], static_cast<uint32>(row)) != kNoPlace) outcome->repeated = 1;
}

// Places are claimed by row numbers, whose keys do not change; the keys themselves follow.
template <class Key>
__global__ void insert_rows(const Key* keys, const uint32* validity, int64 rows, uint32* row_of_place, uint64 wrap,
                            RowOutcome* outcome) {
  const int64 row = thread_number();
  if (row >= rows || !has_bit(validity, row)) return;
  const Key key = keys[row];
  for (uint64 at = hash_of(key) & wrap;; at = (at + 1) & wrap) {
    const uint32 before = atomicCAS(&row_of_place[at], kNoPlace, static_cast<uint32>(row));
    if (before == kNoPlace) return;
    if (equal_keys(keys[before], key)) {
      outcome->repeated = 1;
      return;
    }
  }
}

template <class Key>
__global__ void place_keys(const Key* keys, const uint32* row_of_place, int64 places, Key* key_of_place) {
  const int64 at = thread_number();
  if (at < places && row_of_place[at] != kNoPlace) key_of_place[at] = keys[row_of_place[at]];
}

// The row that stands for each row's key, and how many rows each stands for.
template <class Key>
__global__ void find_standing(const Key* keys, const uint32* validity, int64 rows, RowSlot table, uint32* standing,
                              uint32* counts) {
  const int64 row = thread_number();
  if (row >= rows) return;
  const uint32 found = has_bit(validity, row) ? look_up(table, keys[row]) : kNoPlace;
  if (found != kNoPlace) atomicAdd(&counts[found], 1u);
  standing[row] = found;
}

template <class T>
__global__ void number_rows(T* to, int64 rows) {
  const int64 row = thread_number();
  if (row < rows) to[row] = static_cast<T>(row);
}

// How many rows a probed row becomes.
struct Matches {
  const uint32* found;
  const uint32* run_begin;
  int64 rows;
  __host__ __device__ int64 operator()(int64 row) const {
    if (row >= rows) return 0;
    const uint32 standing = found[row];
    return standing == kNoPlace ? 1 : run_begin[standing + 1] - run_begin[standing];
  }
};

// The first of a row's places gets its number; the others take it from there.
__global__ void mark_first(const int64* begins, int64 rows, uint32* row_of_place) {
  const int64 row = thread_number();
  if (row < rows && begins[row] < begins[row + 1]) row_of_place[begins[row]] = static_cast<uint32>(row);
}

__global__ void find_matches(const uint32* row_of_place, int64 places, const int64* begins, Matches matches,
                             const uint32* run_rows, uint32* build_rows) {
  const int64 at = thread_number();
  if (at >= places) return;
  const uint32 row = row_of_place[at], standing = matches.found[row];
  build_rows[at] = standing == kNoPlace ? kNoPlace : run_rows[matches.run_begin[standing] + (at - begins[row])];
}

struct Larger {
  __host__ __device__ uint32 operator()(uint32 a, uint32 b) const { return a > b ? a : b; }
};

}  // namespace

std::shared_ptr<const DeviceTable> CudaDevice::build_table(const columns::Column& keys, int bits, bool all_rows) {
  const Turn turn(*this);
  auto table = std::make_shared<CudaTable>();
  const int key_bytes = columns::bytes_per_row(keys.physical);
  auto with_keys = [&](auto use) {
    if (keys.physical == columns::Physical::view) use(keys.values.as<RegisterView>());
    else if (key_bytes == 8) use(keys.values.as<uint64>());
    else use(keys.values.as<uint128>());
  };
  RowOutcome outcome{};
  memory::Buffer left = copied(&outcome, 1);
  auto* to = left.mutable_as<RowOutcome>();
  const int blocks = std::max(blocks_for(keys.rows), 1);
  const auto* validity = keys.validity.as<uint32>();
  const int64_t range = bits < 40 ? int64_t{1} << bits : INT64_MAX;
  table->characters = keys.characters;
  if (key_bytes == 8 && range <= std::max<int64_t>(32 * keys.rows, 1 << 16) && range <= kMostPlaces) {
    table->rows = allocate_filled(range * 4, 0xff);
    place_rows<<<blocks, kBlock, 0, stream_>>>(keys.values.as<uint64>(), validity, keys.rows,
                                               table->rows.mutable_as<uint32>(), to);
    table->slot = {nullptr, table->rows.mutable_as<uint32>(), static_cast<uint64>(range), true, false};
  } else {
    const int64_t places = power_of_two(std::max<int64_t>(2 * keys.rows, 16));
    table->rows = allocate_filled(places * 4, 0xff);
    table->keys = allocate(places * key_bytes);
    with_keys([&]<class Key>(const Key* values) {
      insert_rows<<<blocks, kBlock, 0, stream_>>>(values, validity, keys.rows, table->rows.mutable_as<uint32>(),
                                                  static_cast<uint64>(places - 1), to);
      place_keys<<<blocks_for(places), kBlock, 0, stream_>>>(values, table->rows.as<uint32>(), places,
                                                             table->keys.mutable_as<Key>());
    });
    table->slot = {table->keys.mutable_as<void>(), table->rows.mutable_as<uint32>(), static_cast<uint64>(places), false,
                   false};
  }
  FZ_CUDA_TRY(cudaGetLastError());
  table->unique_ = read_one<RowOutcome>(left).repeated == 0;
  if (!table->unique_ && all_rows)
    with_keys([&](const auto* values) { make_runs(values, validity, keys.rows, *table); });
  return table;
}

// Rows sorted by the row that stands for them; those without a key come last.
template <class Key>
void CudaDevice::make_runs(const Key* keys, const uint32* validity, int64_t rows, CudaTable& table) {
  memory::Buffer standing = allocate(rows * 4), numbers = allocate(rows * 4), sorted = allocate(rows * 4);
  memory::Buffer counts = allocate_filled((rows + 1) * 4, 0);
  table.run_begin = allocate((rows + 1) * 4);
  table.run_rows = allocate(rows * 4);
  find_standing<<<blocks_for(rows), kBlock, 0, stream_>>>(keys, validity, rows, table.slot,
                                                          standing.mutable_as<uint32>(), counts.mutable_as<uint32>());
  number_rows<<<blocks_for(rows), kBlock, 0, stream_>>>(numbers.mutable_as<uint32>(), rows);
  FZ_CUDA_TRY(cudaGetLastError());
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.as<uint32>(), table.run_begin.mutable_as<uint32>(),
                                         rows + 1, stream_);
  });
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, standing.as<uint32>(), sorted.mutable_as<uint32>(),
                                           numbers.as<uint32>(), table.run_rows.mutable_as<uint32>(), rows, 0, 32,
                                           stream_);
  });
}

DeviceMatches CudaDevice::expand(const DeviceTable& table, const memory::Buffer& found, int64_t rows) {
  const Turn turn(*this);
  const auto& runs = static_cast<const CudaTable&>(table);
  const Matches matches{found.as<uint32>(), runs.run_begin.as<uint32>(), rows};
  memory::Buffer begins = allocate((rows + 1) * 8);
  const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<int64>(0), matches);
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, begins.mutable_as<int64>(), rows + 1, stream_);
  });
  DeviceMatches made{.rows = read_one<int64>(begins, rows), .probed = {}, .build = {}};
  if (made.rows >= kNoPlace) fail(ErrorKind::out_of_memory, "a join that gives 2^32 rows or more at once");
  made.probed = allocate_filled(made.rows * 4, 0);
  made.build = allocate(made.rows * 4);
  if (made.rows == 0) return made;
  mark_first<<<blocks_for(rows), kBlock, 0, stream_>>>(begins.as<int64>(), rows, made.probed.mutable_as<uint32>());
  FZ_CUDA_TRY(cudaGetLastError());
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(scratch, bytes, made.probed.as<uint32>(), made.probed.mutable_as<uint32>(),
                                          Larger(), made.rows, stream_);
  });
  find_matches<<<blocks_for(made.rows), kBlock, 0, stream_>>>(made.probed.as<uint32>(), made.rows, begins.as<int64>(),
                                                              matches, runs.run_rows.as<uint32>(),
                                                              made.build.mutable_as<uint32>());
  FZ_CUDA_TRY(cudaGetLastError());
  return made;
}

}  // namespace frazil::primitives::cuda
