// Programs that the row interpreter runs: what they need is laid out in the device's memory, and run again with more of
// it where a table or the memory for text was too small.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "primitives/cuda/build_side.hpp"
#include "primitives/cuda/cuda_device.hpp"
#include "primitives/cuda/table.cuh"

namespace frazil::primitives::cuda {
namespace {

using program::Instruction;
using program::KeyField;
using program::Op;
using program::Operand;
using program::Program;
using program::RegisterView;
using program::Type;

bool is_cell(Op op) { return op >= Op::cell_add && op <= Op::cell_count; }
bool is_emit(Op op) { return op >= Op::emit && op <= Op::emit_rows; }
bool is_filter(Op op) { return op == Op::filter; }
bool is_group(Op op) { return op == Op::group; }

const Instruction* find(const Program& program, bool (*is)(Op)) {
  for (const Instruction& i : program.code) {
    if (is(i.op)) return &i;
  }
  return nullptr;
}

bool is_device_call(uint16 function) {
  switch (function) {
#define FZ_VIEW(number, name) case number:
#define FZ_STRING(number, name) case number:
#include "device_functions.inc"
#undef FZ_VIEW
#undef FZ_STRING
    return true;
    default: return false;
  }
}

int units_of(Type type) { return (program::bytes_of(type) + 7) / 8; }

// A program whose registers are numbered as the kernel finds them.
struct Numbered {
  Program program;
  int units = 0;
  int masks = 0;

  explicit Numbered(Program allocated) : program(std::move(allocated)) {
    std::vector<uint16> place;
    for (Type type : program.registers) {
      place.push_back(static_cast<uint16>(type == Type::mask ? masks++ : units));
      units += units_of(type);
    }
    auto rename = [&](program::Operand& operand) {
      if (operand.kind == Operand::value) operand.index = place[operand.index];
    };
    for (Instruction& i : program.code) {
      for (program::Operand* operand : {&i.dst, &i.a, &i.b, &i.c, &i.entry}) rename(*operand);
    }
    for (auto& list : program.lists) {
      for (KeyField& field : list) {
        rename(field.value);
        rename(field.valid);
      }
    }
  }
  // Of a block whose threads have `rows` rows each; all that a program names lies there.
  size_t shared_bytes(int rows) const { return hot_bytes() + static_cast<size_t>(units * rows) * kRowThreads * 8; }
  size_t hot_bytes() const {
    size_t bytes = program.code.size() * sizeof(Instruction) + (program.lists.size() + 1) * sizeof(int) +
                   program.literals.size() * 16 + program.columns.size() * sizeof(RowColumn) +
                   program.slots.size() * sizeof(RowSlot);
    for (const auto& list : program.lists) bytes += list.size() * sizeof(KeyField);
    return (bytes + 6 * 16) / 16 * 16;  // each of the six parts begins at a multiple of 16
  }
};

constexpr int kManyRows = 4;  // a thread, where registers leave room for several blocks
constexpr size_t kManyRowsBytes = 56 << 10;

struct Kernel {
  RowKernel run;
  int rows;
};
Kernel kernel_of(const Numbered& numbered) {
  if (numbered.shared_bytes(kManyRows) <= kManyRowsBytes && numbered.masks * kManyRows <= kRowMasks)
    return {row_kernel_4(), kManyRows};
  return {row_kernel_1(), 1};
}

template <class T>
__global__ void fill(T* to, int64 count, T value) {
  for (int64 at = int64{blockIdx.x} * blockDim.x + threadIdx.x; at < count; at += int64{gridDim.x} * blockDim.x)
    to[at] = value;
}

template <class T>
__global__ void pick(const T* from, const uint32* places, int64 rows, T* to) {
  const int64 at = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at < rows) to[at] = from[places[at]];
}

// The number of the group that has a place.
__global__ void number_places(const uint32* places, int64 groups, uint32* number_of_place) {
  const int64 at = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at < groups) number_of_place[places[at]] = static_cast<uint32>(at);
}

__global__ void widen(const uint32* from, int64 rows, uint64* to) {
  const int64 at = int64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at < rows) to[at] = from[at];
}

struct CountBits {
  __device__ uint32 operator()(uint32 word) const { return static_cast<uint32>(__popc(word)); }
};
struct HasByte {
  const uint8* taken;
  __device__ bool operator()(uint32 place) const { return taken[place]; }
};
struct HasKey {
  const uint64* keys;
  __device__ bool operator()(uint32 place) const { return keys[place] != ~uint64{0}; }
};
struct HasState {
  const uint32* states;
  __device__ bool operator()(uint32 place) const { return states[place] == kTaken; }
};

// Bytes that are copied to the device at once; parts are found by their offset.
class Blob {
 public:
  template <class T>
  size_t add(const T* from, size_t count) {
    bytes_.resize((bytes_.size() + 15) / 16 * 16);
    const size_t at = bytes_.size();
    bytes_.resize(at + count * sizeof(T));
    if (count > 0) std::memcpy(&bytes_[at], from, count * sizeof(T));
    return at;
  }
  template <class T>
  size_t add(const std::vector<T>& from) {
    return add(from.data(), from.size());
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::string CudaDevice::lacks(const Program& values) const {
  if (fold(values, {}).lacks.empty()) return "";
  const Numbered numbered(program::allocate(values));
  const Program& program = numbered.program;
  if (numbered.shared_bytes(1) > properties_.sharedMemPerBlockOptin) return "programs of this length";
  if (numbered.masks > kRowMasks) return "so many masks at once";
  for (const Instruction& i : program.code) {
    if (i.op == Op::call && !is_device_call(i.function)) return "functions that only the host knows";
    if (i.op == Op::count_rows && i.node >= kMaxRowNodes) return "so many plan nodes";
    if ((i.op == Op::cell_min || i.op == Op::cell_max) && program::bytes_of(i.type) == 16)
      return "minima of 128-bit numbers";
  }
  return "";
}

// What a run holds while it lasts.
struct CudaDevice::Attempt {
  int64_t text_capacity = 0;
  int64_t places = 0;  // of the group table
  bool dense = false;
  RowSlot group{};
  memory::Buffer keys, states, text, outcome, live, offsets;
  std::map<int, memory::Buffer> cells;  // by slot
  int64_t warps = 0;
};

void CudaDevice::run_program(const DeviceRun& run, DeviceRows& result) {
  const Program program = program::allocate(run.program);
  Attempt attempt;
  if (find(program, is_group)) {
    const int64_t range = run.key_bits < 40 ? int64_t{1} << run.key_bits : INT64_MAX;
    attempt.dense = range <= std::max<int64_t>(4 * run.rows, 1 << 16) && range <= kMostPlaces;
    attempt.places = attempt.dense ? range : power_of_two(std::clamp<int64_t>(2 * run.rows, 1024, 1 << 24));
  }
  for (const program::SourceColumn& column : program.columns) {
    const auto c = static_cast<size_t>(&column - program.columns.data());
    if (run.columns[c].values) result.bytes_read += run.rows * columns::bytes_per_row(run.columns[c].physical);
  }
  attempt.text_capacity = find(program, [](Op op) { return op == Op::call || op == Op::bytes_key; }) ? 64 << 20 : 0;
  while (!this->attempt(run, program, attempt, result)) {}
}

namespace {

void fill_neutral(memory::Buffer& cells, const Instruction& i, int64_t count, cudaStream_t stream) {
  auto launch = [&](auto zero) {
    using T = decltype(zero);
    T neutral(0);
    if (i.op == Op::cell_min || i.op == Op::cell_max) {
      if constexpr (std::is_floating_point_v<T>) {
        neutral = static_cast<T>(__builtin_nan(""));
      } else {
        const T lowest = T(-1) < T(0) ? static_cast<T>(T(1) << (sizeof(T) * 8 - 1)) : T(0);
        neutral = i.op == Op::cell_min ? static_cast<T>(~lowest) : lowest;
      }
    }
    fill<<<static_cast<int>(std::clamp<int64_t>(blocks_for(count), 1, 4096)), kBlock, 0, stream>>>(
        cells.mutable_as<T>(), count, neutral);
  };
  if (i.op == Op::cell_count) return launch(int64{});
  switch (i.type) {
    case Type::u64: return launch(uint64{});
    case Type::i128: return launch(int128{});
    case Type::f32: return launch(float{});
    case Type::f64: return launch(double{});
    default: return launch(int64{});
  }
}

int bytes_of_cell(const Instruction& i) { return i.op == Op::cell_count ? 8 : program::bytes_of(i.type); }

// Accumulators of warps, in order.
std::vector<std::byte> combined(const Instruction& i, const std::vector<std::byte>& warps) {
  std::vector<std::byte> out(static_cast<size_t>(bytes_of_cell(i)));
  auto combine = [&](auto zero) {
    using T = decltype(zero);
    const auto* values = reinterpret_cast<const T*>(warps.data());
    T all = values[0];
    for (size_t w = 1; w < warps.size() / sizeof(T); ++w) {
      const T value = values[w];
      if (i.op == Op::cell_min) all = all != all || value < all ? value : all;
      else if (i.op == Op::cell_max) all = all != all || value > all ? value : all;
      else if constexpr (sizeof(T) == 16) all = static_cast<T>(static_cast<uint128>(all) + static_cast<uint128>(value));
      else if constexpr (std::is_floating_point_v<T>) all += value;
      else all = static_cast<T>(static_cast<uint64>(all) + static_cast<uint64>(value));
    }
    std::memcpy(out.data(), &all, sizeof all);
  };
  if (i.op == Op::cell_count) combine(int64{});
  else if (i.type == Type::u64) combine(uint64{});
  else if (i.type == Type::i128) combine(int128{});
  else if (i.type == Type::f32) combine(float{});
  else if (i.type == Type::f64) combine(double{});
  else combine(int64{});
  return out;
}

}  // namespace

memory::Buffer CudaDevice::prefix_sums(const memory::Buffer& words, int64_t count, int64_t& total) {
  memory::Buffer sums = allocate((count + 1) * 4);
  auto counts = thrust::make_transform_iterator(words.as<uint32>(), CountBits{});
  // One word more than there are: it is 0, and its sum is the total.
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, sums.mutable_as<uint32>(), count + 1, stream_);
  });
  total = read_one<uint32>(sums, count);
  return sums;
}

template <class IsTaken>
memory::Buffer CudaDevice::taken_places(int64_t places, IsTaken is_taken, int64_t& rows) {
  memory::Buffer out = allocate(places * 4), count = allocate(8);
  const thrust::counting_iterator<uint32> numbers(0);
  with_scratch([&](void* scratch, size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, numbers, out.mutable_as<uint32>(), count.mutable_as<int64_t>(), places,
                                 is_taken, stream_);
  });
  rows = read_one<int64_t>(count);
  return out;
}

// One try; false: it has to be repeated with the larger sizes that are in `a` now.
bool CudaDevice::attempt(const DeviceRun& run, const Program& program, Attempt& a, DeviceRows& result) {
  const Instruction* group = find(program, is_group);
  const Numbered numbered(program);
  const Kernel kernel = kernel_of(numbered);
  const size_t shared = numbered.shared_bytes(kernel.rows);
  allow_shared(kernel.run);
  int blocks_per_sm = 0;
  FZ_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, kernel.run, kRowThreads, shared));
  const int64_t tile = int64_t{kRowThreads} * kernel.rows;
  const int blocks = static_cast<int>(
      std::clamp<int64_t>((run.rows + tile - 1) / tile, 1, int64_t{properties_.multiProcessorCount} * blocks_per_sm));
  a.warps = int64_t{blocks} * kRowThreads / 32;
  if (a.text_capacity > 0) a.text = allocate(a.text_capacity);
  RowOutcome outcome{};
  outcome.first_error = ~0ull;
  a.outcome = copied(&outcome, 1);
  if (group) {
    const int key_bytes = program::bytes_of(group->from);
    a.group.size = static_cast<uint64>(a.places);
    a.group.dense = a.dense;
    a.group.has_sentinel = !a.dense && key_bytes == 8 && run.key_bits < 64;
    if (!a.dense) a.keys = allocate_filled(a.places * key_bytes, 0xff);
    if (!a.group.has_sentinel) a.states = allocate_filled(a.places * (a.dense ? 1 : 4), 0);
    a.group.data = a.keys.mutable_as<void>();
    a.group.state = a.states.mutable_as<uint32>();
  }
  FZ_CUDA_TRY(cudaEventRecord(begin_, stream_));

  std::vector<memory::Buffer> held;  // until the kernels are through
  std::vector<RowSlot> slots(program.slots.size());
  for (size_t s = 0; s < run.slots.size(); ++s) {
    const DeviceSlot& slot = run.slots[s];
    if (slot.lookup) {
      held.push_back(copied(slot.lookup->truth, slot.lookup->size));
      slots[s] = {held.back().mutable_as<void>(), nullptr, slot.lookup->size, false, false};
    } else if (slot.column) {
      slots[s] = {const_cast<std::byte*>(slot.column->values.as()),
                  const_cast<uint32*>(slot.column->validity.as<uint32>()), static_cast<uint64>(slot.column->rows),
                  false, false};
    } else if (slot.table) {
      slots[s] = static_cast<const CudaTable&>(*slot.table).slot;
    }
  }
  if (group) slots[static_cast<size_t>(group->slot)] = a.group;
  a.cells.clear();
  for (const Instruction& i : program.code) {
    if (!is_cell(i.op)) continue;
    const int64_t count = !i.b ? a.warps : group ? a.places : run.groups;
    memory::Buffer cells = allocate(count * bytes_of_cell(i));
    fill_neutral(cells, i, count, stream_);
    slots[static_cast<size_t>(i.slot)].data = cells.mutable_as<void>();
    a.cells[i.slot] = std::move(cells);
  }

  std::vector<int> list_begin{0};
  std::vector<KeyField> fields;
  for (const auto& list : numbered.program.lists) {
    fields.insert(fields.end(), list.begin(), list.end());
    list_begin.push_back(static_cast<int>(fields.size()));
  }
  std::vector<RowColumn> columns;
  for (const columns::Column& column : run.columns)
    columns.push_back({column.values.as(), column.validity.as<uint32>()});
  Blob blob;
  std::vector<uint128> literals(program.literals.size());
  const size_t code_at = blob.add(numbered.program.code), fields_at = blob.add(fields), lists_at = blob.add(list_begin);
  const size_t literals_at = blob.add(literals), columns_at = blob.add(columns), slots_at = blob.add(slots);
  std::vector<size_t> text_at;
  blob.bytes().resize(numbered.hot_bytes());
  for (const program::Literal& literal : program.literals)
    text_at.push_back(blob.add(literal.text.data(), literal.text.size()));
  std::vector<void*> outputs;
  for (const Instruction& i : program.code) {
    if (is_emit(i.op)) outputs.resize(std::max(outputs.size(), static_cast<size_t>(i.imm) + 1));
  }
  memory::Buffer laid_out = allocate(static_cast<int64_t>(blob.bytes().size()));
  const char* base = laid_out.as<char>();
  for (size_t l = 0; l < literals.size(); ++l) {
    const program::Literal& literal = program.literals[l];
    if (literal.type == Type::view) {
      RegisterView view = program::view_of(literal.text.data(), static_cast<uint32>(literal.text.size()));
      if (view.length > RegisterView::kInline) view.address = base + text_at[l];
      std::memcpy(&literals[l], &view, sizeof view);
    } else {
      literals[l] = static_cast<uint128>(literal.bits);
    }
  }
  if (!literals.empty()) std::memcpy(&blob.bytes()[literals_at], literals.data(), literals.size() * 16);
  write(laid_out, 0, blob.bytes().data(), static_cast<int64_t>(blob.bytes().size()));

  RowProgram p{};
  p.hot = base;
  p.hot_bytes = static_cast<int>(numbered.hot_bytes());
  p.code_at = static_cast<int>(code_at);
  p.fields_at = static_cast<int>(fields_at);
  p.lists_at = static_cast<int>(lists_at);
  p.literals_at = static_cast<int>(literals_at);
  p.columns_at = static_cast<int>(columns_at);
  p.slots_at = static_cast<int>(slots_at);
  p.text = a.text.mutable_as<char>();
  p.text_capacity = static_cast<uint64>(a.text_capacity);
  p.outcome = a.outcome.mutable_as<RowOutcome>();
  p.rows = run.rows;
  p.steps = static_cast<int>(program.code.size());
  auto launch = [&](RowProgram::Pass pass) {
    p.pass = pass;
    kernel.run<<<blocks, kRowThreads, shared, stream_>>>(p);
    FZ_CUDA_TRY(cudaGetLastError());
    ++result.launches;
  };

  const bool emits = !outputs.empty(), filters = find(program, is_filter) != nullptr;
  result.rows = run.rows;
  if (emits && filters) {
    const int64_t words = (run.rows + 31) / 32;
    a.live = allocate_filled((words + 1) * 4, 0);
    p.live = a.live.mutable_as<uint32>();
    launch(RowProgram::count);
    a.offsets = prefix_sums(a.live, words, result.rows);
    result.launches += 2;
    p.offsets = a.offsets.as<uint32>();
  }
  if (emits) {
    result.arrays.assign(outputs.size(), {});
    for (const Instruction& i : program.code) {
      if (!is_emit(i.op)) continue;
      const int bytes = i.op == Op::emit_rows ? 4 : i.op == Op::emit_mask ? 1 : program::bytes_of(i.type);
      memory::Buffer& out = result.arrays[static_cast<size_t>(i.imm)];
      out = allocate(result.rows * bytes);
      outputs[static_cast<size_t>(i.imm)] = out.mutable_as<void>();
    }
    held.push_back(copied(outputs.data(), outputs.size()));
    p.outputs = held.back().as<void* const>();
    if (!filters) {
      // Rows are counted in the pass that counts; here there is one pass.
      launch(RowProgram::only);
    } else if (result.rows > 0) {
      launch(RowProgram::emit);
    }
  } else {
    launch(RowProgram::only);
  }
  FZ_CUDA_TRY(cudaEventRecord(end_, stream_));
  outcome = read_one<RowOutcome>(a.outcome);
  float milliseconds = 0;
  FZ_CUDA_TRY(cudaEventElapsedTime(&milliseconds, begin_, end_));
  result.kernel_seconds += milliseconds / 1e3;
  if (outcome.full) {
    if (a.places >= kMostPlaces)
      fail(ErrorKind::out_of_memory, "group_by: more groups than a table on the device holds; use device=\"cpu\"");
    a.places = std::min(a.places * 8, kMostPlaces);
    return false;
  }
  // The passes make the same text, one over the other.
  const unsigned long long text_bytes = std::max(outcome.text_bytes[0], outcome.text_bytes[1]);
  if (text_bytes > static_cast<unsigned long long>(a.text_capacity)) {
    a.text_capacity = static_cast<int64_t>(text_bytes) + (1 << 20);
    return false;
  }
  // What views that the program made may point into: made text, literals, and the text of what it reads.
  result.characters = {laid_out};
  if (a.text) result.characters.push_back(a.text);
  auto keep = [&](const columns::Column& column) {
    result.characters.insert(result.characters.end(), column.characters.begin(), column.characters.end());
  };
  for (const columns::Column& column : run.columns) keep(column);
  for (const DeviceSlot& slot : run.slots) {
    if (slot.column) keep(*slot.column);
  }
  if (outcome.first_error != ~0ull) {
    result.error.row = static_cast<int64_t>(outcome.first_error >> 16);
    result.error.function = static_cast<uint16>(outcome.first_error);
  }
  for (size_t n = 0; n < result.node_rows.size() && n < kMaxRowNodes; ++n)
    result.node_rows[n] = static_cast<int64_t>(outcome.node_rows[n]);
  if (group) {
    collect_groups(run, program, a, result);
  } else {
    for (int slot : run.cells) {
      const auto i = std::find_if(program.code.begin(), program.code.end(),
                                  [&](const Instruction& c) { return is_cell(c.op) && c.slot == slot; });
      memory::Buffer& cells = a.cells.at(slot);
      std::vector<std::byte> host(static_cast<size_t>(cells.bytes()));
      read(host.data(), cells, 0, cells.bytes());
      result.cells.push_back(i->b ? std::move(host) : combined(*i, host));
    }
  }
  return true;
}

void CudaDevice::collect_groups(const DeviceRun& run, const Program& program, Attempt& a, DeviceRows& result) {
  const Instruction* group = find(program, is_group);
  memory::Buffer places;
  if (a.dense) places = taken_places(a.places, HasByte{a.states.as<uint8>()}, result.groups);
  else if (a.group.has_sentinel) places = taken_places(a.places, HasKey{a.keys.as<uint64>()}, result.groups);
  else places = taken_places(a.places, HasState{a.states.as<uint32>()}, result.groups);
  const int64_t rows = result.groups;
  const int blocks = std::max(blocks_for(rows), 1);
  auto picked = [&](const memory::Buffer& from, int bytes) {
    memory::Buffer to = allocate(rows * bytes);
    if (bytes == 4)
      pick<<<blocks, kBlock, 0, stream_>>>(from.as<uint32>(), places.as<uint32>(), rows, to.mutable_as<uint32>());
    else if (bytes == 8)
      pick<<<blocks, kBlock, 0, stream_>>>(from.as<uint64>(), places.as<uint32>(), rows, to.mutable_as<uint64>());
    else pick<<<blocks, kBlock, 0, stream_>>>(from.as<uint128>(), places.as<uint32>(), rows, to.mutable_as<uint128>());
    FZ_CUDA_TRY(cudaGetLastError());
    return to;
  };
  if (a.dense) {
    result.group_arrays = {allocate(rows * 8)};
    widen<<<blocks, kBlock, 0, stream_>>>(places.as<uint32>(), rows, result.group_arrays[0].mutable_as<uint64>());
    FZ_CUDA_TRY(cudaGetLastError());
  } else {
    result.group_arrays = {picked(a.keys, program::bytes_of(group->from))};
  }
  for (int slot : run.cells) {
    const auto i = std::find_if(program.code.begin(), program.code.end(),
                                [&](const Instruction& c) { return is_cell(c.op) && c.slot == slot; });
    result.group_arrays.push_back(picked(a.cells.at(slot), bytes_of_cell(*i)));
  }
  result.launches += 3 + static_cast<int64_t>(run.cells.size());
  // Emitted places become numbers of groups.
  memory::Buffer number_of_place;
  for (const Instruction& i : program.code) {
    if (i.op != Op::emit || i.a != group->dst || result.rows == 0) continue;
    if (!number_of_place) {
      number_of_place = allocate(a.places * 4);
      number_places<<<blocks, kBlock, 0, stream_>>>(places.as<uint32>(), rows, number_of_place.mutable_as<uint32>());
    }
    memory::Buffer& emitted = result.arrays[static_cast<size_t>(i.imm)];
    memory::Buffer numbers = allocate(result.rows * 4);
    pick<<<blocks_for(result.rows), kBlock, 0, stream_>>>(number_of_place.as<uint32>(), emitted.as<uint32>(),
                                                          result.rows, numbers.mutable_as<uint32>());
    FZ_CUDA_TRY(cudaGetLastError());
    emitted = std::move(numbers);
    result.launches += 2;
  }
}

}  // namespace frazil::primitives::cuda
