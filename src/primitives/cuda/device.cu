#include <algorithm>
#include <cstring>

#include "primitives/cuda/cuda_device.hpp"

namespace frazil::primitives::cuda {

void cuda_failed(cudaError_t error, const char* call) {
  const ErrorKind kind = error == cudaErrorMemoryAllocation ? ErrorKind::out_of_memory : ErrorKind::device;
  cudaGetLastError();  // an error that was told is not told again
  fail(kind, std::string("CUDA: ") + cudaGetErrorString(error) + " in " + call);
}

namespace {
constexpr int64_t kStagingBytes = 8 << 20;  // pinning costs time, and longer copies are no faster
}

CudaDevice::Turn::Turn(CudaDevice& device) : lock(device.mutex_) { FZ_CUDA_TRY(cudaSetDevice(device.index_)); }

CudaDevice::CudaDevice(int index) : index_(index) {
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
  stream_owner_ = {stream_, [index](cudaStream_t stream) {
                     cudaSetDevice(index);
                     cudaStreamSynchronize(stream);
                     cudaStreamDestroy(stream);
                   }};
  cudaMemPool_t pool;
  FZ_CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, index));
  uint64_t keep = ~uint64_t{0};
  FZ_CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  for (void*& staging : staging_) FZ_CUDA_TRY(cudaMallocHost(&staging, kStagingBytes));
  for (cudaEvent_t& event : staged_) FZ_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  FZ_CUDA_TRY(cudaEventCreate(&begin_));
  FZ_CUDA_TRY(cudaEventCreate(&end_));
}

CudaDevice::~CudaDevice() {
  cudaSetDevice(index_);
  cudaStreamSynchronize(stream_);
  for (void* staging : staging_) cudaFreeHost(staging);
  for (cudaEvent_t event : staged_) cudaEventDestroy(event);
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
}

std::string CudaDevice::description() const {
  return std::string(properties_.name) + ", " + std::to_string(properties_.totalGlobalMem >> 30) + " GiB, " +
         std::to_string(properties_.multiProcessorCount) + " SMs";
}

memory::Buffer CudaDevice::allocate(int64_t bytes) {
  FZ_CUDA_TRY(cudaSetDevice(index_));
  void* data = nullptr;
  // Loads of the last tile may read a little behind the end.
  FZ_CUDA_TRY(cudaMallocAsync(&data, static_cast<size_t>(bytes) + memory::kPadding, stream_));
  *bytes_ += bytes;
  // The stream lives as long as buffers do, and work on it that reads one comes before its end.
  std::shared_ptr<void> owner(data, [counter = bytes_, bytes, index = index_, stream = stream_owner_](void* p) {
    cudaSetDevice(index);
    cudaFreeAsync(p, stream.get());
    *counter -= bytes;
  });
  return {std::move(owner), data, bytes, {memory::Kind::device, static_cast<int16_t>(index_)}};
}

memory::Buffer CudaDevice::allocate_filled(int64_t bytes, int byte) {
  memory::Buffer buffer = allocate(bytes);
  FZ_CUDA_TRY(cudaMemsetAsync(buffer.mutable_as(), byte, static_cast<size_t>(bytes), stream_));
  return buffer;
}

void CudaDevice::write(memory::Buffer& to, int64_t offset, const void* from, int64_t bytes) {
  const Turn turn(*this);
  const char* at = static_cast<const char*>(from);
  for (int half = 0; bytes > 0; half ^= 1) {
    const int64_t part = std::min(bytes, kStagingBytes);
    FZ_CUDA_TRY(cudaEventSynchronize(staged_[half]));
    std::memcpy(staging_[half], at, static_cast<size_t>(part));
    FZ_CUDA_TRY(cudaMemcpyAsync(to.mutable_as<char>() + offset, staging_[half], static_cast<size_t>(part),
                                cudaMemcpyHostToDevice, stream_));
    FZ_CUDA_TRY(cudaEventRecord(staged_[half], stream_));
    at += part;
    offset += part;
    bytes -= part;
  }
}

// The copy of one part runs while the part before it is moved to its place.
void CudaDevice::read(void* to, const memory::Buffer& from, int64_t offset, int64_t bytes) {
  const Turn turn(*this);
  char* at = static_cast<char*>(to);
  int64_t before = 0;
  for (int half = 0; bytes > 0 || before > 0; half ^= 1) {
    const int64_t part = std::min(bytes, kStagingBytes);
    if (part > 0) {
      FZ_CUDA_TRY(cudaMemcpyAsync(staging_[half], from.as<char>() + offset, static_cast<size_t>(part),
                                  cudaMemcpyDeviceToHost, stream_));
      FZ_CUDA_TRY(cudaEventRecord(staged_[half], stream_));
    }
    if (before > 0) {
      FZ_CUDA_TRY(cudaEventSynchronize(staged_[half ^ 1]));
      std::memcpy(at, staging_[half ^ 1], static_cast<size_t>(before));
      at += before;
    }
    before = part;
    offset += part;
    bytes -= part;
  }
}

DeviceRows CudaDevice::run(const DeviceRun& run) {
  const Turn turn(*this);
  DeviceRows result;
  result.node_rows.assign(static_cast<size_t>(run.nodes), 0);
  if (!run_totals(run, result)) run_program(run, result);
  return result;
}

}  // namespace frazil::primitives::cuda

extern "C" __attribute__((visibility("default"))) frazil::primitives::Device* frazil_open_device(int index) {
  return new frazil::primitives::cuda::CudaDevice(index);
}
