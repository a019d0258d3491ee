// The CUDA device behind primitives/device.hpp. Plain allocations from the stream-ordered pool, copies through pinned
// staging, one stream.
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "base/error.hpp"
#include "device_functions.hpp"
#include "primitives/cuda/interpreter.cuh"
#include "primitives/device.hpp"

#define FZ_CUDA_TRY(call)                                  \
  do {                                                     \
    cudaError_t error_ = (call);                           \
    if (error_ != cudaSuccess) cuda_failed(error_, #call); \
  } while (0)

namespace frazil::primitives::cuda {
namespace {

[[noreturn]] void cuda_failed(cudaError_t error, const char* call) {
  const ErrorKind kind = error == cudaErrorMemoryAllocation ? ErrorKind::out_of_memory : ErrorKind::device;
  fail(kind, std::string("CUDA: ") + cudaGetErrorString(error) + " in " + call);
}

// Adds the blocks' totals in block order, so that float sums do not depend on timing.
__global__ void add_blocks(const unsigned long long* totals, int blocks, int accumulators, int groups,
                           uint32 float_cells, unsigned long long* out) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= accumulators) return;
  if (float_cells >> (j / groups) & 1) {
    double sum = 0;
    for (int b = 0; b < blocks; ++b) sum += __longlong_as_double(totals[long(b) * accumulators + j]);
    out[j] = __double_as_longlong(sum);
  } else {
    unsigned long long sum = 0;
    for (int b = 0; b < blocks; ++b) sum += totals[long(b) * accumulators + j];
    out[j] = sum;
  }
}

using Kernel = void (*)(DeviceProgram, long, unsigned long long*, unsigned long long*);

struct Variant {
  Kernel kernel;
  int rows_per_thread;
  int word_bytes;
};

template <class W>
Variant variant(bool grouped) {
  return grouped ? Variant{run_tiles<W, true>, Tuning<W, true>::rows, sizeof(W)}
                 : Variant{run_tiles<W, false>, Tuning<W, false>::rows, sizeof(W)};
}

Variant variant_of(const Folded& folded) {
  const bool grouped = !folded.digits.empty();
  switch (folded.word) {
    case Word::i32: return variant<int32>(grouped);
    case Word::i64: return variant<int64>(grouped);
    case Word::f64: return variant<double>(grouped);
  }
  return {};
}

constexpr int64_t kStagingBytes = 32 << 20;
constexpr size_t kSharedBytesMax = 100 << 10;  // two blocks an SM at the least

class CudaDevice : public Device {
 public:
  explicit CudaDevice(int index) : index_(index) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || index >= count) {
      fail(ErrorKind::device, "no CUDA device " + std::to_string(index) + ": " +
                                  (error != cudaSuccess ? cudaGetErrorString(error) : "there are fewer") +
                                  "; use device=\"cpu\"");
    }
    FZ_CUDA_TRY(cudaSetDevice(index));
    FZ_CUDA_TRY(cudaGetDeviceProperties(&properties_, index));
    FZ_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    cudaMemPool_t pool;
    FZ_CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, index));
    uint64_t keep = ~uint64_t{0};
    FZ_CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    for (void*& staging : staging_) FZ_CUDA_TRY(cudaMallocHost(&staging, kStagingBytes));
    for (cudaEvent_t& event : staged_) FZ_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    FZ_CUDA_TRY(cudaEventCreate(&begin_));
    FZ_CUDA_TRY(cudaEventCreate(&end_));
  }
  ~CudaDevice() override {
    cudaSetDevice(index_);
    cudaStreamSynchronize(stream_);
    for (void* staging : staging_) cudaFreeHost(staging);
    for (cudaEvent_t event : staged_) cudaEventDestroy(event);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }

  std::string name() const override { return "cuda:" + std::to_string(index_); }
  std::string description() const override {
    return std::string(properties_.name) + ", " + std::to_string(properties_.totalGlobalMem >> 30) + " GiB, " +
           std::to_string(properties_.multiProcessorCount) + " SMs";
  }
  int64_t bytes_in_use() const override { return *bytes_; }
  int64_t memory_bytes() const override { return static_cast<int64_t>(properties_.totalGlobalMem); }

  memory::Buffer allocate(int64_t bytes) override {
    FZ_CUDA_TRY(cudaSetDevice(index_));
    void* data = nullptr;
    // Loads of the last tile may read a little behind the end.
    FZ_CUDA_TRY(cudaMallocAsync(&data, static_cast<size_t>(bytes) + memory::kPadding, stream_));
    *bytes_ += bytes;
    std::shared_ptr<void> owner(data, [counter = bytes_, bytes, index = index_](void* p) {
      cudaSetDevice(index);
      cudaFree(p);  // also right when the stream is gone already
      *counter -= bytes;
    });
    return {std::move(owner), data, bytes, {memory::Kind::device, static_cast<int16_t>(index_)}};
  }

  void copy(memory::Buffer& to, int64_t offset, const void* from, int64_t bytes) override {
    std::lock_guard lock(mutex_);
    FZ_CUDA_TRY(cudaSetDevice(index_));
    const char* at = static_cast<const char*>(from);
    for (int turn = 0; bytes > 0; turn ^= 1) {
      const int64_t part = std::min(bytes, kStagingBytes);
      FZ_CUDA_TRY(cudaEventSynchronize(staged_[turn]));
      std::memcpy(staging_[turn], at, static_cast<size_t>(part));
      FZ_CUDA_TRY(cudaMemcpyAsync(to.mutable_as<char>() + offset, staging_[turn], static_cast<size_t>(part),
                                  cudaMemcpyHostToDevice, stream_));
      FZ_CUDA_TRY(cudaEventRecord(staged_[turn], stream_));
      at += part;
      offset += part;
      bytes -= part;
    }
    FZ_CUDA_TRY(cudaStreamSynchronize(stream_));
  }

  std::string lacks(const program::Program& program, const DeviceAggregation& aggregation) const override {
    Folded folded = fold(program, slots_of(aggregation));
    if (folded.lacks.empty() && copies_of(folded, aggregation) == 0) return "so many groups";
    return folded.lacks;
  }

  DeviceTotals aggregate(const program::Program& program, const DeviceAggregation& aggregation,
                         std::span<const columns::Column> columns, int64_t rows,
                         std::span<const cpu::LookupTable* const> lookups, int64_t nodes) override;

 private:
  static std::vector<int> slots_of(const DeviceAggregation& aggregation) {
    std::vector<int> slots;
    for (const DeviceAggregation::Cell& cell : aggregation.cells) slots.push_back(cell.slot);
    return slots;
  }

  size_t shared_bytes(const Folded& folded, int copies) const {
    const Variant variant = variant_of(folded);
    const DeviceProgram& p = folded.program;
    const size_t registers = static_cast<size_t>(p.registers) * variant.rows_per_thread * kThreads * variant.word_bytes;
    const size_t masks = static_cast<size_t>(p.masks) * kThreads * 4;
    return registers + masks + static_cast<size_t>(p.cells) * p.groups * copies * 8;
  }

  // Accumulator sets a block: one a thread where shared memory holds them. Floats need that, since the order in which
  // several threads add to one place is anybody's guess. 0: not even one set fits.
  int copies_of(const Folded& folded, const DeviceAggregation& aggregation) const {
    const bool floats =
        std::any_of(aggregation.cells.begin(), aggregation.cells.end(), [](const auto& c) { return c.is_float; });
    for (int copies : {kThreads, 32, 8, 1}) {
      if (floats && copies < kThreads) return 0;
      if (shared_bytes(folded, copies) <= kSharedBytesMax) return copies;
    }
    return 0;
  }

  int index_;
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  void* staging_[2] = {};
  cudaEvent_t staged_[2] = {}, begin_ = nullptr, end_ = nullptr;
  std::mutex mutex_;
  std::shared_ptr<std::atomic<int64_t>> bytes_ = std::make_shared<std::atomic<int64_t>>(0);
};

// The packed key of a mixed-radix group number.
uint64_t packed_key(const Folded& folded, int group) {
  uint64_t key = 0;
  for (const Folded::Digit& digit : folded.digits) {
    key |= static_cast<uint64_t>(group % digit.states) << digit.shift;
    group /= static_cast<int>(digit.states);
  }
  return key;
}

DeviceTotals CudaDevice::aggregate(const program::Program& program, const DeviceAggregation& aggregation,
                                   std::span<const columns::Column> columns, int64_t rows,
                                   std::span<const cpu::LookupTable* const> lookups, int64_t nodes) {
  Folded folded = fold(program, slots_of(aggregation));
  FZ_CHECK(folded.lacks.empty());
  DeviceProgram& p = folded.program;
  p.copies = copies_of(folded, aggregation);
  for (size_t c = 0; c < aggregation.cells.size(); ++c)
    p.float_cells |= static_cast<uint32>(aggregation.cells[c].is_float) << c;
  DeviceTotals totals;
  for (size_t c = 0; c < folded.column_of.size(); ++c) {
    const columns::Column& column = columns[static_cast<size_t>(folded.column_of[c])];
    p.columns[c].values = column.values.as();
    p.columns[c].validity = column.validity.as<uint32>();
    totals.bytes_read += rows * columns::bytes_per_row(column.physical);
  }
  std::vector<memory::Buffer> tables;
  std::vector<uint32> table_sizes;
  for (size_t t = 0; t < folded.table_slot.size(); ++t) {
    const cpu::LookupTable& table = *lookups[static_cast<size_t>(folded.table_slot[t])];
    tables.push_back(allocate(table.size));
    copy(tables.back(), 0, table.truth, table.size);
    p.tables[t] = tables.back().as<uint8>();
    table_sizes.push_back(table.size);
  }
  for (int at = 0; at < p.step_count; ++at) {
    if (p.steps[at].op == DeviceOp::lookup) p.steps[at].high = table_sizes[static_cast<size_t>(p.steps[at].low)];
  }
  std::lock_guard lock(mutex_);
  FZ_CUDA_TRY(cudaSetDevice(index_));
  const Variant variant = variant_of(folded);
  const size_t shared = shared_bytes(folded, p.copies);
  FZ_CUDA_TRY(
      cudaFuncSetAttribute(variant.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  int blocks_per_sm = 0;
  FZ_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, variant.kernel, kThreads, shared));
  const int64_t tiles = (rows + kThreads * variant.rows_per_thread - 1) / (kThreads * variant.rows_per_thread);
  const int blocks =
      static_cast<int>(std::clamp<int64_t>(tiles, 1, int64_t{properties_.multiProcessorCount} * blocks_per_sm));
  const int accumulators = p.cells * p.groups;
  memory::Buffer partial = allocate(int64_t{blocks} * accumulators * 8 + 8);
  memory::Buffer out = allocate((accumulators + kMaxNodes) * 8);
  auto* sums = out.mutable_as<unsigned long long>();
  FZ_CUDA_TRY(cudaMemsetAsync(sums, 0, static_cast<size_t>(out.bytes()), stream_));
  FZ_CUDA_TRY(cudaEventRecord(begin_, stream_));
  variant.kernel<<<blocks, kThreads, shared, stream_>>>(p, rows, partial.mutable_as<unsigned long long>(),
                                                        sums + accumulators);
  FZ_CUDA_TRY(cudaGetLastError());
  add_blocks<<<(accumulators + 127) / 128, 128, 0, stream_>>>(partial.as<unsigned long long>(), blocks, accumulators,
                                                              p.groups, p.float_cells, sums);
  FZ_CUDA_TRY(cudaGetLastError());
  FZ_CUDA_TRY(cudaEventRecord(end_, stream_));
  std::vector<uint64_t> host(static_cast<size_t>(accumulators + kMaxNodes));
  FZ_CUDA_TRY(cudaMemcpyAsync(host.data(), sums, host.size() * 8, cudaMemcpyDeviceToHost, stream_));
  FZ_CUDA_TRY(cudaStreamSynchronize(stream_));
  float milliseconds = 0;
  FZ_CUDA_TRY(cudaEventElapsedTime(&milliseconds, begin_, end_));
  totals.kernel_seconds = milliseconds / 1e3;
  totals.launches = 2;
  for (int c = 0; c < p.cells; ++c) {
    std::vector<uint64_t> cell(static_cast<size_t>(aggregation.groups), 0);
    for (int g = 0; g < p.groups; ++g) cell[packed_key(folded, g)] = host[static_cast<size_t>(c * p.groups + g)];
    totals.cells.push_back(std::move(cell));
  }
  totals.node_rows.assign(static_cast<size_t>(nodes), 0);
  for (const auto& [node, counter] : folded.counter_of_node) {
    totals.node_rows[static_cast<size_t>(node)] =
        static_cast<int64_t>(host[static_cast<size_t>(accumulators + counter)]);
  }
  return totals;
}

}  // namespace
}  // namespace frazil::primitives::cuda

extern "C" __attribute__((visibility("default"))) frazil::primitives::Device* frazil_open_device(int index) {
  return new frazil::primitives::cuda::CudaDevice(index);
}
