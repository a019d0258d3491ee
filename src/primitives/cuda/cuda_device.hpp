// The CUDA device behind primitives/device.hpp. Plain allocations from the stream-ordered pool, copies through pinned
// staging, one stream.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "primitives/cuda/device_program.hpp"
#include "primitives/cuda/row_program.hpp"
#include "primitives/device.hpp"

#define FZ_CUDA_TRY(call)                                                              \
  do {                                                                                 \
    cudaError_t error_ = (call);                                                       \
    if (error_ != cudaSuccess) ::frazil::primitives::cuda::cuda_failed(error_, #call); \
  } while (0)

namespace frazil::primitives::cuda {

[[noreturn]] void cuda_failed(cudaError_t error, const char* call);

constexpr int kBlock = 256;  // threads of kernels that do little a thread
inline int blocks_for(int64_t work) { return static_cast<int>((work + kBlock - 1) / kBlock); }

class CudaTable;

class CudaDevice : public Device {
 public:
  explicit CudaDevice(int index);
  ~CudaDevice() override;

  std::string name() const override { return "cuda:" + std::to_string(index_); }
  std::string description() const override;
  int64_t bytes_in_use() const override { return *bytes_; }
  int64_t memory_bytes() const override { return static_cast<int64_t>(properties_.totalGlobalMem); }

  memory::Buffer allocate(int64_t bytes) override;
  void write(memory::Buffer& to, int64_t offset, const void* from, int64_t bytes) override;
  void read(void* to, const memory::Buffer& from, int64_t offset, int64_t bytes) override;

  std::string lacks(const program::Program& program) const override;
  DeviceRows run(const DeviceRun& run) override;
  std::shared_ptr<const DeviceTable> build_table(const columns::Column& keys, int bits, bool all_rows) override;
  DeviceMatches expand(const DeviceTable& table, const memory::Buffer& found, int64_t rows) override;
  columns::Column gather(const columns::Column& column, const memory::Buffer& numbers, int64_t rows,
                         bool optional) override;
  memory::Buffer resize(const memory::Buffer& from, program::Type type, int bytes, int64_t rows) override;
  memory::Buffer pack_truth(const memory::Buffer& from, int64_t rows) override;
  void unpack_key(const memory::Buffer& keys, const DeviceKeyField& field, columns::Column& to) override;
  std::optional<columns::Interval> interval(const columns::Column& column) override;
  void pack_text(const columns::Column& column, memory::Buffer& characters, memory::Buffer& begins) override;
  memory::Buffer count_distinct(const columns::Column& column, const memory::Buffer& numbers, int64_t groups) override;
  memory::Buffer order(std::span<const DeviceSortKey> keys, int64_t rows) override;

 private:
  // Every use of the device begins with one: one caller at a time, and its device is the current one.
  struct Turn {
    explicit Turn(CudaDevice& device);
    std::lock_guard<std::recursive_mutex> lock;
  };

  memory::Buffer allocate_filled(int64_t bytes, int byte);
  template <class T>
  memory::Buffer copied(const T* from, size_t count);  // to the device
  template <class T>
  T read_one(const memory::Buffer& from, int64_t index = 0);
  // Calls what takes CUB's two arguments: once to learn how much memory it needs, then with it.
  template <class F>
  void with_scratch(F call);

  // Lets a kernel have all the shared memory of a block. Always the same: the setting is the process's, and another
  // engine must not find less than it asks for.
  template <class... Arguments>
  void allow_shared(void (*kernel)(Arguments...)) const;

  // totals.cu: programs of one word type whose accumulators fit in shared memory
  int copies_of(const Folded& folded, const DeviceRun& run) const;
  bool run_totals(const DeviceRun& run, DeviceRows& result);
  // rows.cu: all others
  struct Attempt;
  void run_program(const DeviceRun& run, DeviceRows& result);
  bool attempt(const DeviceRun& run, const program::Program& program, Attempt& attempt, DeviceRows& result);
  void collect_groups(const DeviceRun& run, const program::Program& program, Attempt& attempt, DeviceRows& result);
  // Row numbers below `rows` whose flag is set, in order.
  template <class IsTaken>
  memory::Buffer taken_places(int64_t places, IsTaken is_taken, int64_t& rows);
  memory::Buffer prefix_sums(const memory::Buffer& counts, int64_t count, int64_t& total);
  // build_side.cu
  template <class Key>
  void make_runs(const Key* keys, const uint32* validity, int64_t rows, CudaTable& table);

  int index_;
  cudaDeviceProp properties_{};
  std::shared_ptr<CUstream_st> stream_owner_;
  cudaStream_t stream_ = nullptr;
  void* staging_[2] = {};
  cudaEvent_t staged_[2] = {}, begin_ = nullptr, end_ = nullptr;
  std::recursive_mutex mutex_;
  std::shared_ptr<std::atomic<int64_t>> bytes_ = std::make_shared<std::atomic<int64_t>>(0);
};

template <class T>
memory::Buffer CudaDevice::copied(const T* from, size_t count) {
  memory::Buffer buffer = allocate(static_cast<int64_t>(count * sizeof(T)));
  if (count > 0) write(buffer, 0, from, static_cast<int64_t>(count * sizeof(T)));
  return buffer;
}

template <class... Arguments>
void CudaDevice::allow_shared(void (*kernel)(Arguments...)) const {
  cudaFuncAttributes attributes{};
  FZ_CUDA_TRY(cudaFuncGetAttributes(&attributes, kernel));
  const auto most = static_cast<int>(properties_.sharedMemPerBlockOptin - attributes.sharedSizeBytes);
  FZ_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
}

template <class F>
void CudaDevice::with_scratch(F call) {
  size_t bytes = 0;
  FZ_CUDA_TRY(call(nullptr, bytes));
  memory::Buffer scratch = allocate(static_cast<int64_t>(bytes));
  FZ_CUDA_TRY(call(scratch.mutable_as<void>(), bytes));
}

template <class T>
T CudaDevice::read_one(const memory::Buffer& from, int64_t index) {
  T value;
  read(&value, from, index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

}  // namespace frazil::primitives::cuda
