// The kernel that runs tile programs: each block takes tiles of V rows a thread. A mask is one word a thread, a bit for
// each of its rows; registers lie in shared memory. Sums go to accumulators in shared memory, one set for each thread
// where they fit, so that no two threads add to one place; each block leaves its totals, which a second kernel adds in
// order.
#pragma once

#include "functions/function.hpp"
#include "primitives/cuda/device_program.hpp"

namespace frazil::primitives::cuda {

constexpr int kThreads = 128;

// As measured on an H200 with PDS-H Q1 and Q6 (docs/design/0003-cuda.md).
template <class W, bool kGrouped>
struct Tuning {
  static constexpr int rows = sizeof(W) == 4 ? 16 : 8;                 // a thread
  static constexpr int blocks = (sizeof(W) == 4 ? 5 : 4) + !kGrouped;  // an SM at the least
  static constexpr int few = rows / 4;  // live rows a thread up to which the rest of a tile is worked on row by row
};

template <class W>
struct TypeOf;
// clang-format off
template <> struct TypeOf<int32> { static constexpr program::Type type = program::Type::i32; };
template <> struct TypeOf<int64> { static constexpr program::Type type = program::Type::i64; };
template <> struct TypeOf<double> { static constexpr program::Type type = program::Type::f64; };
// clang-format on

template <class F, class W>
__device__ __forceinline__ W call(W a, W b, W parameter) {
  if constexpr ((F::info.kernels & plan::set_of(TypeOf<W>::type)) == 0 || F::info.to_mask) {
    return W{};
  } else {
    bool bad = false;  // narrow types are only chosen where nothing can fail
    constexpr int n = F::info.arguments + F::info.parameters;
    if constexpr (n == 1) return F::apply(a);
    else if constexpr (n == 2 && F::info.may_fail) return F::apply(a, b, bad);
    else if constexpr (n == 2) return F::apply(a, b);
    else if constexpr (F::info.may_fail) return F::apply(a, b, parameter, bad);
    else return F::apply(a, b, parameter);
  }
}

template <class F, class W>
__device__ __forceinline__ bool test(W a, W b) {
  if constexpr ((F::info.kernels & plan::set_of(TypeOf<W>::type)) == 0 || !F::info.to_mask) return false;
  else return F::apply(a, b);
}

// What a sum of W is kept in: 8 bytes either way.
template <class W>
struct AccumulatorOf {
  using T = long;
};
template <>
struct AccumulatorOf<double> {
  using T = double;
};
template <class W>
using Accumulator = typename AccumulatorOf<W>::T;

__device__ __forceinline__ void add_atomically(long* cell, long value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
}
__device__ __forceinline__ void add_atomically(double* cell, double value) { atomicAdd(cell, value); }

template <class W>
__device__ __forceinline__ W literal_of(int64 bits) {
  if constexpr (__is_same(W, double)) return __longlong_as_double(bits);
  else return static_cast<W>(bits);
}

// A bound of a range: cut to what W holds, or the bits of a double.
template <class W>
__device__ __forceinline__ W bound_of(int64 bound) {
  constexpr int64 kMost = (1ll << 31) - 1;
  if constexpr (__is_same(W, double)) return __longlong_as_double(bound);
  else if constexpr (sizeof(W) == 4)
    return static_cast<W>(bound > kMost ? kMost : bound < -kMost - 1 ? -kMost - 1 : bound);
  else return static_cast<W>(bound);
}

// What a block has in shared memory, as one of its threads sees it.
template <class W>
struct Block {
  const DeviceProgram& program;
  W* registers;               // row k of register r: (r * rows + k) * kThreads
  uint32* masks;              // mask m: m * kThreads, a bit a row
  unsigned long long* cells;  // copy c of group g of cell a: (a * groups + g) * copies + c
  int set;                    // the copy that this thread adds to
  bool alone;                 // nobody else adds to it
};

// The rows that a thread works on, as numbers below Tuning::rows. Row k of a thread lies kThreads behind row k - 1
// in its columns, so that neighbouring threads read neighbouring rows.
struct AllRows {
  __device__ __forceinline__ int operator[](int j) const { return j; }
};
// After a selective filter: only those that are live.
template <int N>
struct FewRows {
  int row[N];
  __device__ __forceinline__ int operator[](int j) const { return row[j]; }
};

// Runs steps over N rows of a thread. Bit j of a mask in hand is row rows[j]; masks in shared memory go by row.
template <class W, bool kGrouped, int N, class Rows>
struct Worker {
  static constexpr int kRows = Tuning<W, kGrouped>::rows;
  static constexpr uint32 kAll = (1u << N) - 1;
  static_assert(kRows < 32);

  const Block<W>& block;
  const Rows rows;
  const long base;
  uint32 live;
  uint32 group[kGrouped ? N : 1];
  uint32 (&counted)[kMaxNodes];

  __device__ __forceinline__ uint32 mask_of(uint8 index) const {
    if (index == kNone) return kAll;
    if (index == kLive) return live;
    const uint32 stored = block.masks[index * kThreads];
    if constexpr (N == kRows) return stored;
    uint32 mask = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) mask |= (stored >> rows[j] & 1) << j;
    return mask;
  }

  __device__ __forceinline__ void store_mask(uint8 index, uint32 mask) {
    if constexpr (N == kRows) {
      block.masks[index * kThreads] = mask;
    } else {
      uint32 stored = 0;
#pragma unroll
      for (int j = 0; j < N; ++j)
        stored |= ((mask & live) >> j & 1) << rows[j];  // rows that are no more share number 0
      block.masks[index * kThreads] = stored;
    }
  }

  // Values of a column; dead rows read as 0.
  template <class E>
  __device__ __forceinline__ void read(const DeviceColumn& column, W* values) const {
    const E* from = static_cast<const E*>(column.values) + base + threadIdx.x;
    E raw[N];
#pragma unroll
    for (int j = 0; j < N; ++j) raw[j] = live >> j & 1 ? from[rows[j] * kThreads] : E(0);
    const W offset = static_cast<W>(column.base);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      values[j] = static_cast<W>(raw[j]);
      if constexpr (!__is_same(E, double)) values[j] += offset;  // -0.0 + 0.0 would lose its sign
    }
  }

  __device__ __forceinline__ void fetch(const DeviceOperand& operand, int64 literal, W* values) const {
    if (operand.kind == DeviceOperand::reg) {
#pragma unroll
      for (int j = 0; j < N; ++j)
        values[j] = block.registers[(operand.index * kRows + rows[j]) * kThreads + threadIdx.x];
    } else if (operand.kind == DeviceOperand::literal) {
      const W value = literal_of<W>(literal);
#pragma unroll
      for (int j = 0; j < N; ++j) values[j] = value;
    } else if (operand.kind == DeviceOperand::column) {
      const DeviceColumn& column = block.program.columns[operand.index];
      switch (column.element) {
        case Element::i8: return read<int8>(column, values);
        case Element::u8: return read<uint8>(column, values);
        case Element::i16: return read<int16>(column, values);
        case Element::u16: return read<uint16>(column, values);
        case Element::i32: return read<int32>(column, values);
        case Element::u32: return read<uint32>(column, values);
        case Element::i64: return read<int64>(column, values);
        case Element::f64:
          if constexpr (__is_same(W, double)) return read<double>(column, values);
          break;
        default: break;
      }
    }
  }

  __device__ __forceinline__ void function(const DeviceStep& step, W* a, const W* b) const {
    const W parameter = literal_of<W>(step.high);
    switch (step.function) {
#define FZ_FUNCTION(number, name)                                                                         \
  case number:                                                                                            \
    _Pragma("unroll") for (int j = 0; j < N; ++j) a[j] = call<functions::name, W>(a[j], b[j], parameter); \
    break;
#include "device_functions.inc"
#undef FZ_FUNCTION
      default: break;
    }
  }

  __device__ __forceinline__ uint32 predicate(const DeviceStep& step, const W* a, const W* b) const {
    uint32 mask = 0;
    switch (step.function) {
#define FZ_PREDICATE(number, name)                               \
  case number:                                                   \
    _Pragma("unroll") for (int j = 0; j < N; ++j) {              \
      if (test<functions::name, W>(a[j], b[j])) mask |= 1u << j; \
    }                                                            \
    break;
#include "device_functions.inc"
#undef FZ_PREDICATE
      default: break;
    }
    return mask;
  }

  __device__ __forceinline__ uint32 range(const DeviceStep& step, const W* a) const {
    const W low = bound_of<W>(step.low), high = bound_of<W>(step.high);
    uint32 mask = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (a[j] >= low && a[j] <= high) mask |= 1u << j;
    }
    return mask;
  }

  __device__ __forceinline__ uint32 lookup(const DeviceStep& step, const W* a) const {
    const uint8* table = block.program.tables[step.low];
    const auto size = static_cast<uint32>(step.high);
    uint32 mask = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const auto code = static_cast<uint32>(static_cast<int>(a[j]));
      if (live >> j & 1 && code < size) mask |= static_cast<uint32>(table[code]) << j;
    }
    return mask;
  }

  __device__ __forceinline__ uint32 valid(const DeviceStep& step) const {
    const uint32* words = block.program.columns[step.a.index].validity;
    if (!words) return kAll;
    uint32 mask = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const long row = base + rows[j] * kThreads + threadIdx.x;
      if (live >> j & 1) mask |= (words[row >> 5] >> (row & 31) & 1) << j;
    }
    return mask;
  }

  __device__ __forceinline__ void add_digit(const DeviceStep& step, const W* a) {
    const W low = W(step.low);
    const auto stride = static_cast<uint32>(step.high);
    const uint32 present = mask_of(step.mask_a);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      auto digit = static_cast<uint32>(static_cast<long>(a[j] - low));
      if (step.has_validity) digit = present >> j & 1 ? digit + 1 : 0;
      group[j] += digit * stride;
    }
  }

  __device__ __forceinline__ uint32 rows_of(const DeviceStep& step) const {
    return step.mask_a == kNone ? live : live & mask_of(step.mask_a);
  }

  // Without groups every thread has accumulators of its own.
  __device__ __forceinline__ void sum(const DeviceStep& step, const W* a) const {
    const DeviceProgram& program = block.program;
    auto* cell =
        reinterpret_cast<Accumulator<W>*>(block.cells) + step.cell * program.groups * program.copies + block.set;
    const uint32 mine = rows_of(step);
    if constexpr (!kGrouped) {
      Accumulator<W> total = 0;
#pragma unroll
      for (int j = 0; j < N; ++j) total += mine >> j & 1 ? Accumulator<W>(a[j]) : Accumulator<W>(0);
      *cell += total;
    } else if (block.alone) {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (mine >> j & 1) cell[group[j] * kThreads] += Accumulator<W>(a[j]);
      }
    } else {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (mine >> j & 1) add_atomically(&cell[group[j] * program.copies], Accumulator<W>(a[j]));
      }
    }
  }

  __device__ __forceinline__ void count(const DeviceStep& step) const {
    const DeviceProgram& program = block.program;
    unsigned long long* cell = block.cells + step.cell * program.groups * program.copies + block.set;
    const uint32 mine = rows_of(step);
    if constexpr (!kGrouped) {
      *cell += __popc(mine);
    } else if (block.alone) {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (mine >> j & 1) ++cell[group[j] * kThreads];
      }
    } else {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (mine >> j & 1) atomicAdd(&cell[group[j] * program.copies], 1ull);
      }
    }
  }

  __device__ __forceinline__ void count_rows(const DeviceStep& step) {
#pragma unroll
    for (int n = 0; n < kMaxNodes; ++n) counted[n] += n == step.low ? __popc(live) : 0;
  }

  // The rest of the tile for the live rows alone, if each thread of the warp has few of them.
  __device__ __forceinline__ bool run_few(int at) {
    if constexpr (!kGrouped && N == kRows) {
      constexpr int kFew = Tuning<W, kGrouped>::few;
      if (at == block.program.step_count) return false;
      if (__reduce_max_sync(~0u, static_cast<uint32>(__popc(live))) > kFew) return false;
      FewRows<kFew> few;
      uint32 rest = live;
#pragma unroll
      for (int j = 0; j < kFew; ++j) {
        few.row[j] = rest ? __ffs(rest) - 1 : 0;
        rest &= rest - 1;
      }
      Worker<W, kGrouped, kFew, FewRows<kFew>> worker{block, few, base, (1u << __popc(live)) - 1, {}, counted};
      worker.run(at);
      return true;
    }
    return false;
  }

  __device__ __forceinline__ void run(int at) {
    while (at < block.program.step_count) {
      const DeviceStep& step = block.program.steps[at++];
      W a[N];
      uint32 mask = 0;
      bool makes_value = false;
      fetch(step.a, step.op == DeviceOp::group_field ? step.extra : step.low, a);
      switch (step.op) {
        case DeviceOp::move:
        case DeviceOp::sum: makes_value = true; break;
        case DeviceOp::function:
        case DeviceOp::predicate: {
          W b[N];
          fetch(step.b, step.extra, b);
          makes_value = step.op == DeviceOp::function;
          if (makes_value) function(step, a, b);
          else mask = predicate(step, a, b);
          break;
        }
        case DeviceOp::range: mask = range(step, a); break;
        case DeviceOp::lookup: mask = lookup(step, a); break;
        case DeviceOp::valid: mask = valid(step); break;
        case DeviceOp::mask_and: mask = mask_of(step.mask_a) & mask_of(step.mask_b); break;
        case DeviceOp::mask_or: mask = mask_of(step.mask_a) | mask_of(step.mask_b); break;
        case DeviceOp::mask_and_not: mask = mask_of(step.mask_a) & ~mask_of(step.mask_b); break;
        case DeviceOp::mask_not: mask = ~mask_of(step.mask_a) & kAll; break;
        case DeviceOp::group_field:
          if constexpr (kGrouped) add_digit(step, a);
          continue;
        case DeviceOp::count: count(step); continue;
        case DeviceOp::count_rows: count_rows(step); continue;
      }
      if (makes_value) {
        if (step.dst != kNone) {
#pragma unroll
          for (int j = 0; j < N; ++j) {
            if (N == kRows || live >> j & 1)
              block.registers[(step.dst * kRows + rows[j]) * kThreads + threadIdx.x] = a[j];
          }
        }
        if (step.cell != kNone) sum(step, a);
      } else if (step.filters) {
        live &= mask;
        if (!__any_sync(~0u, live) || run_few(at)) return;
      } else {
        store_mask(step.dst, mask);
      }
    }
  }
};

template <class W, bool kGrouped>
__global__ void __launch_bounds__(kThreads, Tuning<W, kGrouped>::blocks)
    run_tiles(const __grid_constant__ DeviceProgram program, long rows, unsigned long long* totals,
              unsigned long long* node_rows) {
  constexpr int kRows = Tuning<W, kGrouped>::rows;
  constexpr long kTile = long(kThreads) * kRows;
  extern __shared__ __align__(16) char shared[];
  W* registers = reinterpret_cast<W*>(shared);
  char* behind = shared + program.registers * kTile * sizeof(W);
  const Block<W> block{program,
                       registers,
                       reinterpret_cast<uint32*>(behind) + threadIdx.x,
                       reinterpret_cast<unsigned long long*>(behind + program.masks * kThreads * sizeof(uint32)),
                       static_cast<int>(threadIdx.x) % program.copies,
                       program.copies == kThreads};
  const int accumulators = program.cells * program.groups;
  for (int j = threadIdx.x; j < accumulators * program.copies; j += kThreads) block.cells[j] = 0;
  __syncthreads();
  uint32 counted[kMaxNodes] = {};  // this thread's live rows, by node

  for (long base = blockIdx.x * kTile; base < rows; base += gridDim.x * kTile) {
    Worker<W, kGrouped, kRows, AllRows> worker{block, {}, base, (1u << kRows) - 1, {}, counted};
    if (base + kTile > rows) {
      worker.live = 0;
#pragma unroll
      for (int k = 0; k < kRows; ++k) {
        if (base + k * kThreads + threadIdx.x < rows) worker.live |= 1u << k;
      }
    }
    worker.run(0);
  }
  __syncthreads();
  // A block's total of an accumulator: its copies, added in order.
  for (int j = threadIdx.x; j < accumulators; j += kThreads) {
    const unsigned long long* copies = block.cells + j * program.copies;
    unsigned long long* to = &totals[long(blockIdx.x) * accumulators + j];
    if (__is_same(W, double) && program.float_cells >> (j / program.groups) & 1) {
      double sum = 0;
      for (int c = 0; c < program.copies; ++c) sum += __longlong_as_double(copies[c]);
      *to = __double_as_longlong(sum);
    } else {
      unsigned long long sum = 0;
      for (int c = 0; c < program.copies; ++c) sum += copies[c];
      *to = sum;
    }
  }
  for (int n = 0; n < program.nodes; ++n) {
    unsigned long long warp_rows = 0;
#pragma unroll
    for (int m = 0; m < kMaxNodes; ++m) warp_rows += m == n ? counted[m] : 0;
    for (int step = 16; step; step >>= 1) warp_rows += __shfl_down_sync(~0u, warp_rows, step);
    if ((threadIdx.x & 31) == 0) atomicAdd(&node_rows[n], warp_rows);
  }
}

}  // namespace frazil::primitives::cuda
