// Columns in the device's memory that are moved or laid out anew.
#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "primitives/cuda/cuda_device.hpp"
#include "primitives/ordered_bits.hpp"

namespace frazil::primitives::cuda {
namespace {

using columns::Column;
using program::RegisterView;
using program::Type;

__device__ __forceinline__ int64 thread_number() { return int64{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ __forceinline__ bool bit_at(const uint32* words, int64 at) { return words[at >> 5] >> (at & 31) & 1; }

template <class T>
__global__ void gather_values(const T* from, const uint32* numbers, int64 rows, T* to) {
  const int64 row = thread_number();
  if (row < rows) to[row] = numbers[row] == kNoPlace ? T{} : from[numbers[row]];
}

// Bits, or the validity of a column that may have none. A warp makes a word.
__global__ void gather_bits(const uint32* from, const uint32* numbers, int64 rows, uint32* to) {
  const int64 row = thread_number();
  const bool bit = row < rows && numbers[row] != kNoPlace && (!from || bit_at(from, numbers[row]));
  const uint32 word = __ballot_sync(~0u, bit);
  if (row < rows && (row & 31) == 0) to[row >> 5] = word;
}

__global__ void pack_bytes(const uint8* from, int64 rows, uint32* to) {
  const int64 row = thread_number();
  const uint32 word = __ballot_sync(~0u, row < rows && from[row]);
  if (row < rows && (row & 31) == 0) to[row >> 5] = word;
}

template <class From, class To>
__global__ void convert_values(const From* from, int64 rows, To* to) {
  const int64 row = thread_number();
  if (row < rows) to[row] = static_cast<To>(from[row]);
}

// Values of packed keys; `bytes` a row, 0 for bits.
__global__ void unpack(const uint64* keys, DeviceKeyField field, int64 rows, int bytes, void* values,
                       uint32* validity) {
  const int64 row = thread_number();
  uint64 packed = 0;
  bool present = false;
  if (row < rows) {
    const uint64 mask = field.bits >= 64 ? ~uint64{0} : (uint64{1} << field.bits) - 1;
    packed = field.bits == 0 ? 0 : keys[row] >> field.shift & mask;
    present = !field.nullable || packed != 0;
    if (field.nullable && present) --packed;
    if (!present) packed = 0;
    else if (program::is_whole(field.type)) packed += static_cast<uint64>(field.base);
    if (field.type == Type::f64) static_cast<double*>(values)[row] = present ? float_of(packed, 0.0) : 0.0;
    else if (field.type == Type::f32) static_cast<float*>(values)[row] = present ? float_of(packed, 0.0f) : 0.0f;
    else if (bytes == 1) static_cast<uint8*>(values)[row] = static_cast<uint8>(packed);
    else if (bytes == 2) static_cast<uint16*>(values)[row] = static_cast<uint16>(packed);
    else if (bytes == 4) static_cast<uint32*>(values)[row] = static_cast<uint32>(packed);
    else if (bytes == 8) static_cast<uint64*>(values)[row] = packed;
    else if (bytes == 16) static_cast<int128*>(values)[row] = static_cast<int64>(packed);
  }
  const uint32 truth = __ballot_sync(~0u, packed & 1), valid = __ballot_sync(~0u, present);
  if (row >= rows || (row & 31) != 0) return;
  if (bytes == 0) static_cast<uint32*>(values)[row >> 5] = truth;
  if (validity) validity[row >> 5] = valid;
}

template <class T>
__global__ void find_interval(const T* values, const uint32* validity, int64 rows, long long* bounds) {
  long long low = INT64_MAX, high = INT64_MIN;
  for (int64 row = thread_number(); row < rows; row += int64{gridDim.x} * blockDim.x) {
    if (validity && !bit_at(validity, row)) continue;
    low = min(low, static_cast<long long>(values[row]));
    high = max(high, static_cast<long long>(values[row]));
  }
  for (int step = 16; step; step >>= 1) {
    low = min(low, __shfl_xor_sync(~0u, low, step));
    high = max(high, __shfl_xor_sync(~0u, high, step));
  }
  if ((threadIdx.x & 31) != 0) return;
  atomicMin(&bounds[0], low);
  atomicMax(&bounds[1], high);
}

// Bytes of a row's text that do not lie in its view.
__global__ void measure_text(const RegisterView* views, const uint32* validity, int64 rows, int64* bytes) {
  const int64 row = thread_number();
  if (row > rows) return;
  const bool counts = row < rows && views[row].length > RegisterView::kInline && (!validity || bit_at(validity, row));
  bytes[row] = counts ? views[row].length : 0;
}

// A warp a row.
__global__ void copy_text(const RegisterView* views, const int64* begins, int64 rows, char* to) {
  const int64 row = thread_number() >> 5;
  if (row >= rows) return;
  const int64 bytes = begins[row + 1] - begins[row];
  for (int64 b = threadIdx.x & 31; b < bytes; b += 32) to[begins[row] + b] = views[row].address[b];
}

}  // namespace

Column CudaDevice::gather(const Column& column, const memory::Buffer& numbers, int64_t rows, bool optional) {
  const Turn turn(*this);
  Column out = column;
  out.rows = rows;
  out.offset = 0;
  out.validity = {};
  const int bytes = columns::bytes_per_row(column.physical);
  const int blocks = std::max(blocks_for(rows), 1);
  const auto* places = numbers.as<uint32>();
  const int64_t words = (rows + 63) / 64 * 8;
  out.values = allocate(bytes > 0 ? rows * bytes : words);
  auto values = [&](auto zero) {
    using T = decltype(zero);
    gather_values<<<blocks, kBlock, 0, stream_>>>(column.values.as<T>(), places, rows, out.values.mutable_as<T>());
  };
  switch (bytes) {
    case 0:
      gather_bits<<<blocks, kBlock, 0, stream_>>>(column.values.as<uint32>(), places, rows,
                                                  out.values.mutable_as<uint32>());
      break;
    case 1: values(uint8{}); break;
    case 2: values(uint16{}); break;
    case 4: values(uint32{}); break;
    case 8: values(uint64{}); break;
    default: values(uint128{}); break;
  }
  if (column.validity || optional) {
    out.validity = allocate(words);
    gather_bits<<<blocks, kBlock, 0, stream_>>>(column.validity.as<uint32>(), places, rows,
                                                out.validity.mutable_as<uint32>());
  }
  FZ_CUDA_TRY(cudaGetLastError());
  return out;
}

memory::Buffer CudaDevice::resize(const memory::Buffer& from, Type type, int bytes, int64_t rows) {
  const Turn turn(*this);
  memory::Buffer out = allocate(rows * bytes);
  const int blocks = std::max(blocks_for(rows), 1);
  auto to = [&](auto wide, auto narrow) {
    using From = decltype(wide);
    using To = decltype(narrow);
    convert_values<<<blocks, kBlock, 0, stream_>>>(from.as<From>(), rows, out.mutable_as<To>());
  };
  auto to_width = [&](auto wide) {
    switch (bytes) {
      case 1: return to(wide, int8{});
      case 2: return to(wide, int16{});
      case 4: return to(wide, int32{});
      case 8: return to(wide, int64{});
      default: return to(wide, int128{});
    }
  };
  switch (type) {
    case Type::i32: to_width(int32{}); break;
    case Type::i64: to_width(int64{}); break;
    case Type::u64: to_width(uint64{}); break;
    default: to_width(int128{}); break;
  }
  FZ_CUDA_TRY(cudaGetLastError());
  return out;
}

memory::Buffer CudaDevice::pack_truth(const memory::Buffer& from, int64_t rows) {
  const Turn turn(*this);
  memory::Buffer out = allocate((rows + 63) / 64 * 8);
  pack_bytes<<<std::max(blocks_for(rows), 1), kBlock, 0, stream_>>>(from.as<uint8>(), rows, out.mutable_as<uint32>());
  FZ_CUDA_TRY(cudaGetLastError());
  return out;
}

void CudaDevice::unpack_key(const memory::Buffer& keys, const DeviceKeyField& field, Column& to) {
  const Turn turn(*this);
  const int bytes = columns::bytes_per_row(to.physical);
  const int64_t words = (to.rows + 63) / 64 * 8;
  to.values = allocate(bytes > 0 ? to.rows * bytes : words);
  if (field.nullable) to.validity = allocate(words);
  unpack<<<std::max(blocks_for(to.rows), 1), kBlock, 0, stream_>>>(
      keys.as<uint64>(), field, to.rows, bytes, to.values.mutable_as<void>(), to.validity.mutable_as<uint32>());
  FZ_CUDA_TRY(cudaGetLastError());
}

std::optional<columns::Interval> CudaDevice::interval(const Column& column) {
  const Turn turn(*this);
  const long long none[2] = {INT64_MAX, INT64_MIN};
  memory::Buffer bounds = copied(none, 2);
  const int blocks = std::clamp(blocks_for(column.rows), 1, properties_.multiProcessorCount * 8);
  auto find = [&](auto zero) {
    using T = decltype(zero);
    find_interval<<<blocks, kBlock, 0, stream_>>>(column.values.as<T>(), column.validity.as<uint32>(), column.rows,
                                                  bounds.mutable_as<long long>());
  };
  switch (columns::bytes_per_row(column.physical)) {
    case 1: find(int8{}); break;
    case 2: find(int16{}); break;
    case 4: find(int32{}); break;
    default: find(int64{}); break;
  }
  FZ_CUDA_TRY(cudaGetLastError());
  long long found[2];
  read(found, bounds, 0, sizeof found);
  if (found[0] > found[1]) return std::nullopt;
  return columns::Interval{found[0], found[1]};
}

void CudaDevice::pack_text(const Column& column, memory::Buffer& characters, memory::Buffer& begins) {
  const Turn turn(*this);
  const int64_t rows = column.rows;
  memory::Buffer bytes = allocate((rows + 1) * 8);
  begins = allocate((rows + 1) * 8);
  measure_text<<<blocks_for(rows + 1), kBlock, 0, stream_>>>(
      column.values.as<RegisterView>(), column.validity.as<uint32>(), rows, bytes.mutable_as<int64>());
  FZ_CUDA_TRY(cudaGetLastError());
  size_t scratch_bytes = 0;
  FZ_CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, scratch_bytes, bytes.as<int64>(), begins.mutable_as<int64>(),
                                            rows + 1, stream_));
  memory::Buffer scratch = allocate(static_cast<int64_t>(scratch_bytes));
  FZ_CUDA_TRY(cub::DeviceScan::ExclusiveSum(scratch.mutable_as(), scratch_bytes, bytes.as<int64>(),
                                            begins.mutable_as<int64>(), rows + 1, stream_));
  characters = allocate(read_one<int64>(begins, rows));
  if (characters.bytes() == 0) return;
  copy_text<<<blocks_for(rows * 32), kBlock, 0, stream_>>>(column.values.as<RegisterView>(), begins.as<int64>(), rows,
                                                           characters.mutable_as<char>());
  FZ_CUDA_TRY(cudaGetLastError());
}

}  // namespace frazil::primitives::cuda
