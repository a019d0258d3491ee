// The kernel that runs tile programs: each block takes tiles of V rows a thread. A mask is one word a thread, a bit for
// each of its rows; registers lie in shared memory. Sums go to accumulators in shared memory, one set for each thread
// where they fit, so that no two threads add to one place; each block leaves its totals, which a second kernel adds in
// order.
#pragma once

#include "functions/function.hpp"
#include "primitives/cuda/device_program.hpp"

namespace frazil::primitives::cuda {

constexpr int kThreads = 128;

// Rows a thread and blocks an SM, as measured on an H200 with PDS-H Q1 and Q6 (docs/design/0003-cuda.md).
template <class W>
struct Tuning {
  static constexpr int rows = 8, blocks = 4;
};
template <>
struct Tuning<int32> {
  static constexpr int rows = 16, blocks = 6;
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

// V values of a column: rows of this thread, dead ones as 0. Row k of a thread lies kThreads behind row k - 1, so that
// neighbouring threads read neighbouring rows.
template <class E, class W, int V>
__device__ __forceinline__ void read(const DeviceColumn& column, long base, uint32 live, W* values) {
  const E* from = static_cast<const E*>(column.values) + base + threadIdx.x;
  E raw[V];
#pragma unroll
  for (int k = 0; k < V; ++k) raw[k] = live >> k & 1 ? from[k * kThreads] : E(0);
  const W offset = static_cast<W>(column.base);
#pragma unroll
  for (int k = 0; k < V; ++k) values[k] = static_cast<W>(raw[k]) + offset;
}

template <class W, int V>
__device__ __forceinline__ void fetch(const DeviceProgram& program, const DeviceOperand& operand, int64 literal,
                                      long base, uint32 live, const W* registers, W* values) {
  if (operand.kind == DeviceOperand::reg) {
#pragma unroll
    for (int k = 0; k < V; ++k) values[k] = registers[(operand.index * V + k) * kThreads + threadIdx.x];
  } else if (operand.kind == DeviceOperand::literal) {
    const W value = literal_of<W>(literal);
#pragma unroll
    for (int k = 0; k < V; ++k) values[k] = value;
  } else if (operand.kind == DeviceOperand::column) {
    const DeviceColumn& column = program.columns[operand.index];
    switch (column.element) {
      case Element::i8: return read<int8, W, V>(column, base, live, values);
      case Element::u8: return read<uint8, W, V>(column, base, live, values);
      case Element::i16: return read<int16, W, V>(column, base, live, values);
      case Element::u16: return read<uint16, W, V>(column, base, live, values);
      case Element::i32: return read<int32, W, V>(column, base, live, values);
      case Element::u32: return read<uint32, W, V>(column, base, live, values);
      case Element::i64: return read<int64, W, V>(column, base, live, values);
      case Element::f64:
        if constexpr (__is_same(W, double)) return read<double, W, V>(column, base, live, values);
        break;
      default: break;
    }
  }
}

template <class W, int V>
__global__ void __launch_bounds__(kThreads, Tuning<W>::blocks)
    run_tiles(const __grid_constant__ DeviceProgram program, long rows, unsigned long long* totals,
              unsigned long long* node_rows) {
  static_assert(V <= 32);
  constexpr uint32 kAll = V == 32 ? ~0u : (1u << V) - 1;
  extern __shared__ __align__(16) char shared[];
  W* registers = reinterpret_cast<W*>(shared);
  uint32* masks = reinterpret_cast<uint32*>(registers + program.registers * V * kThreads) + threadIdx.x;
  unsigned long long* cells = reinterpret_cast<unsigned long long*>(
      shared + (program.registers * V * sizeof(W) + program.masks * sizeof(uint32)) * kThreads);
  const int set = threadIdx.x % program.copies;
  const bool alone = program.copies == kThreads;
  const int accumulators = program.cells * program.groups;
  for (int j = threadIdx.x; j < accumulators * program.copies; j += kThreads) cells[j] = 0;
  __syncthreads();
  uint32 counted[kMaxNodes] = {};  // this thread's live rows, by node

  for (long base = blockIdx.x * long(kThreads) * V; base < rows; base += gridDim.x * long(kThreads) * V) {
    uint32 live = kAll;
    if (base + long(kThreads) * V > rows) {
      live = 0;
#pragma unroll
      for (int k = 0; k < V; ++k) {
        if (base + k * kThreads + threadIdx.x < rows) live |= 1u << k;
      }
    }
    uint32 group[V];
#pragma unroll
    for (int k = 0; k < V; ++k) group[k] = 0;
    for (int at = 0; at < program.step_count; ++at) {
      const DeviceStep& step = program.steps[at];
      auto mask_of = [&](uint8 index) -> uint32 {
        return index == kNone ? kAll : index == kLive ? live : masks[index * kThreads];
      };
      W a[V], b[V];
      uint32 mask = 0;
      bool makes_mask = false, makes_value = false;
      fetch<W, V>(program, step.a, step.op == DeviceOp::group_field ? step.extra : step.low, base, live, registers, a);
      switch (step.op) {
        case DeviceOp::move:
        case DeviceOp::sum: makes_value = true; break;
        case DeviceOp::function: {
          fetch<W, V>(program, step.b, step.extra, base, live, registers, b);
          const W parameter = literal_of<W>(step.high);
          switch (step.function) {
#define FZ_FUNCTION(number, name)                                                                         \
  case number:                                                                                            \
    _Pragma("unroll") for (int k = 0; k < V; ++k) a[k] = call<functions::name, W>(a[k], b[k], parameter); \
    break;
#include "device_functions.inc"
#undef FZ_FUNCTION
            default: break;
          }
          makes_value = true;
          break;
        }
        case DeviceOp::predicate: {
          fetch<W, V>(program, step.b, step.extra, base, live, registers, b);
          switch (step.function) {
#define FZ_PREDICATE(number, name)                               \
  case number:                                                   \
    _Pragma("unroll") for (int k = 0; k < V; ++k) {              \
      if (test<functions::name, W>(a[k], b[k])) mask |= 1u << k; \
    }                                                            \
    break;
#include "device_functions.inc"
#undef FZ_PREDICATE
            default: break;
          }
          makes_mask = true;
          break;
        }
        case DeviceOp::range: {
          const W low = bound_of<W>(step.low), high = bound_of<W>(step.high);
#pragma unroll
          for (int k = 0; k < V; ++k) {
            if (a[k] >= low && a[k] <= high) mask |= 1u << k;
          }
          makes_mask = true;
          break;
        }
        case DeviceOp::lookup: {
          const uint8* table = program.tables[step.low];
          const uint32 size = static_cast<uint32>(step.high);
#pragma unroll
          for (int k = 0; k < V; ++k) {
            const uint32 code = static_cast<uint32>(static_cast<int>(a[k]));
            if (live >> k & 1 && code < size) mask |= static_cast<uint32>(table[code]) << k;
          }
          makes_mask = true;
          break;
        }
        case DeviceOp::valid: {
          const uint32* words = program.columns[step.a.index].validity;
#pragma unroll
          for (int k = 0; k < V; ++k) {
            const long row = base + k * kThreads + threadIdx.x;
            if (!words) mask |= 1u << k;
            else if (live >> k & 1) mask |= (words[row >> 5] >> (row & 31) & 1) << k;
          }
          makes_mask = true;
          break;
        }
        case DeviceOp::mask_and:
          mask = mask_of(step.mask_a) & mask_of(step.mask_b);
          makes_mask = true;
          break;
        case DeviceOp::mask_or:
          mask = mask_of(step.mask_a) | mask_of(step.mask_b);
          makes_mask = true;
          break;
        case DeviceOp::mask_and_not:
          mask = mask_of(step.mask_a) & ~mask_of(step.mask_b);
          makes_mask = true;
          break;
        case DeviceOp::mask_not:
          mask = ~mask_of(step.mask_a) & kAll;
          makes_mask = true;
          break;
        case DeviceOp::group_field: {
          const W low = W(step.low);
          const uint32 stride = static_cast<uint32>(step.high);
          const uint32 valid = mask_of(step.mask_a);
#pragma unroll
          for (int k = 0; k < V; ++k) {
            uint32 digit = static_cast<uint32>(static_cast<long>(a[k] - low));
            if (step.has_validity) digit = valid >> k & 1 ? digit + 1 : 0;
            group[k] += digit * stride;
          }
          break;
        }
        case DeviceOp::count: {
          unsigned long long* cell = cells + step.cell * program.groups * program.copies + set;
          const uint32 mine = step.mask_a == kNone ? live : live & mask_of(step.mask_a);
          if (alone) {
#pragma unroll
            for (int k = 0; k < V; ++k) {
              if (mine >> k & 1) ++cell[group[k] * kThreads];
            }
          } else {
#pragma unroll
            for (int k = 0; k < V; ++k) {
              if (mine >> k & 1) atomicAdd(&cell[group[k] * program.copies], 1ull);
            }
          }
          break;
        }
        case DeviceOp::count_rows: {
          const uint32 alive = __popc(live);
#pragma unroll
          for (int n = 0; n < kMaxNodes; ++n) counted[n] += n == step.low ? alive : 0;
          break;
        }
      }
      if (makes_value && step.dst != kNone) {
#pragma unroll
        for (int k = 0; k < V; ++k) registers[(step.dst * V + k) * kThreads + threadIdx.x] = a[k];
      }
      if (makes_value && step.cell != kNone) {
        Accumulator<W>* cell =
            reinterpret_cast<Accumulator<W>*>(cells) + step.cell * program.groups * program.copies + set;
        const uint32 mine = step.mask_a == kNone ? live : live & mask_of(step.mask_a);
        if (alone && program.groups == 1) {
          Accumulator<W> sum = 0;
#pragma unroll
          for (int k = 0; k < V; ++k) sum += mine >> k & 1 ? Accumulator<W>(a[k]) : Accumulator<W>(0);
          *cell += sum;
        } else if (alone) {
#pragma unroll
          for (int k = 0; k < V; ++k) {
            if (mine >> k & 1) cell[group[k] * kThreads] += Accumulator<W>(a[k]);
          }
        } else {
#pragma unroll
          for (int k = 0; k < V; ++k) {
            if (mine >> k & 1) add_atomically(&cell[group[k] * program.copies], Accumulator<W>(a[k]));
          }
        }
      }
      if (makes_mask && step.filters) {
        live &= mask;
        if (!__any_sync(~0u, live)) break;
      } else if (makes_mask) {
        masks[step.dst * kThreads] = mask;
      }
    }
  }
  __syncthreads();
  // A block's total of an accumulator: its copies, added in order.
  for (int j = threadIdx.x; j < accumulators; j += kThreads) {
    const bool real = __is_same(W, double) && program.float_cells >> (j / program.groups) & 1;
    if (real) {
      double sum = 0;
      for (int copy = 0; copy < program.copies; ++copy) sum += __longlong_as_double(cells[j * program.copies + copy]);
      totals[long(blockIdx.x) * accumulators + j] = __double_as_longlong(sum);
    } else {
      unsigned long long sum = 0;
      for (int copy = 0; copy < program.copies; ++copy) sum += cells[j * program.copies + copy];
      totals[long(blockIdx.x) * accumulators + j] = sum;
    }
  }
#pragma unroll
  for (int n = 0; n < kMaxNodes; ++n) {
    if (n >= program.nodes) break;
    unsigned long long warp_rows = counted[n];
    for (int step = 16; step; step >>= 1) warp_rows += __shfl_down_sync(~0u, warp_rows, step);
    if ((threadIdx.x & 31) == 0) atomicAdd(&node_rows[n], warp_rows);
  }
}

}  // namespace frazil::primitives::cuda
