// Totals of a program whose registers are of one word type: the fast interpreter, for scans that aggregate.
#include <algorithm>
#include <cstring>

#include "device_functions.hpp"
#include "primitives/cuda/cuda_device.hpp"
#include "primitives/cuda/interpreter.cuh"

namespace frazil::primitives::cuda {
namespace {

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

constexpr size_t kSharedBytesMax = 100 << 10;  // two blocks an SM at the least

size_t shared_bytes(const Folded& folded, int copies) {
  const Variant variant = variant_of(folded);
  const DeviceProgram& p = folded.program;
  const size_t registers = static_cast<size_t>(p.registers) * variant.rows_per_thread * kThreads * variant.word_bytes;
  const size_t masks = static_cast<size_t>(p.masks) * kThreads * 4;
  return registers + masks + static_cast<size_t>(p.cells) * p.groups * copies * 8;
}

// The packed key of a mixed-radix group number.
uint64_t packed_key(const Folded& folded, int group) {
  uint64_t key = 0;
  for (const Folded::Digit& digit : folded.digits) {
    key |= static_cast<uint64_t>(group % digit.states) << digit.shift;
    group /= static_cast<int>(digit.states);
  }
  return key;
}

bool is_float_cell(const program::Program& program, int slot) {
  return std::any_of(program.code.begin(), program.code.end(), [&](const program::Instruction& i) {
    return i.slot == slot && i.op == program::Op::cell_add && program::is_float(i.type);
  });
}

}  // namespace

// Accumulator sets a block: one a thread where shared memory holds them. Floats need that, since the order in which
// several threads add to one place is anybody's guess. 0: not even one set fits.
int CudaDevice::copies_of(const Folded& folded, const DeviceRun& run) const {
  const bool floats =
      std::any_of(run.cells.begin(), run.cells.end(), [&](int slot) { return is_float_cell(run.program, slot); });
  for (int copies : {kThreads, 32, 8, 1}) {
    if (floats && copies < kThreads) return 0;
    if (shared_bytes(folded, copies) <= kSharedBytesMax) return copies;
  }
  return 0;
}

// False leaves the program to the row interpreter.
bool CudaDevice::run_totals(const DeviceRun& run, DeviceRows& result) {
  if (run.cells.empty()) return false;  // rows that are only counted
  Folded folded = fold(run.program, run.cells);
  if (!folded.lacks.empty()) return false;
  DeviceProgram& p = folded.program;
  p.copies = copies_of(folded, run);
  if (p.copies == 0) return false;
  for (size_t c = 0; c < run.cells.size(); ++c)
    p.float_cells |= static_cast<uint32>(is_float_cell(run.program, run.cells[c])) << c;
  for (size_t c = 0; c < folded.column_of.size(); ++c) {
    const columns::Column& column = run.columns[static_cast<size_t>(folded.column_of[c])];
    p.columns[c].values = column.values.as();
    p.columns[c].validity = column.validity.as<uint32>();
    result.bytes_read += run.rows * columns::bytes_per_row(column.physical);
  }
  std::vector<memory::Buffer> tables;
  std::vector<uint32> table_sizes;
  for (size_t t = 0; t < folded.table_slot.size(); ++t) {
    const cpu::LookupTable& table = *run.slots[static_cast<size_t>(folded.table_slot[t])].lookup;
    tables.push_back(copied(table.truth, table.size));
    p.tables[t] = tables.back().as<uint8>();
    table_sizes.push_back(table.size);
  }
  p.cell_bytes = static_cast<uint32>(p.groups * p.copies * 8);
  for (int at = 0; at < p.step_count; ++at) {
    DeviceStep& step = p.steps[at];
    if (step.op == DeviceOp::lookup) step.high = table_sizes[static_cast<size_t>(step.low)];
    if (step.op == DeviceOp::group_field) step.high *= p.copies * 8;
  }
  const Variant variant = variant_of(folded);
  const size_t shared = shared_bytes(folded, p.copies);
  allow_shared(variant.kernel);
  int blocks_per_sm = 0;
  FZ_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, variant.kernel, kThreads, shared));
  const int64_t tiles = (run.rows + kThreads * variant.rows_per_thread - 1) / (kThreads * variant.rows_per_thread);
  const int blocks =
      static_cast<int>(std::clamp<int64_t>(tiles, 1, int64_t{properties_.multiProcessorCount} * blocks_per_sm));
  const int accumulators = p.cells * p.groups;
  memory::Buffer partial = allocate(int64_t{blocks} * accumulators * 8 + 8);
  memory::Buffer out = allocate((accumulators + kMaxNodes) * 8);
  auto* sums = out.mutable_as<unsigned long long>();
  FZ_CUDA_TRY(cudaMemsetAsync(sums, 0, static_cast<size_t>(out.bytes()), stream_));
  FZ_CUDA_TRY(cudaEventRecord(begin_, stream_));
  variant.kernel<<<blocks, kThreads, shared, stream_>>>(p, run.rows, partial.mutable_as<unsigned long long>(),
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
  result.kernel_seconds = milliseconds / 1e3;
  result.launches = 2;
  for (int c = 0; c < p.cells; ++c) {
    std::vector<std::byte> cell(static_cast<size_t>(run.groups) * 8);
    for (int g = 0; g < p.groups; ++g)
      std::memcpy(&cell[packed_key(folded, g) * 8], &host[static_cast<size_t>(c * p.groups + g)], 8);
    result.cells.push_back(std::move(cell));
  }
  for (const auto& [node, counter] : folded.counter_of_node) {
    result.node_rows[static_cast<size_t>(node)] =
        static_cast<int64_t>(host[static_cast<size_t>(accumulators + counter)]);
  }
  return true;
}

}  // namespace frazil::primitives::cuda
