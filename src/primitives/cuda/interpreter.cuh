// The kernel that runs tile programs: each block takes tiles of V rows a thread, each warp keeps its live rows as
// ballots, registers lie in shared memory. Sums go to accumulators in shared memory, one set for each thread where they
// fit, so that no two threads add to one place; each block leaves its totals, which a second kernel adds in order.
#pragma once

#include "functions/function.hpp"
#include "primitives/cuda/device_program.hpp"

namespace frazil::primitives::cuda {

constexpr int kThreads = 128;

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
template <class W> struct AccumulatorOf { using T = long; };
template <> struct AccumulatorOf<double> { using T = double; };
template <class W> using Accumulator = typename AccumulatorOf<W>::T;

__device__ __forceinline__ void add_atomically(long* cell, long value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
}
__device__ __forceinline__ void add_atomically(double* cell, double value) { atomicAdd(cell, value); }

template <class W>
__device__ __forceinline__ W literal_of(int64 bits) {
  if constexpr (__is_same(W, double)) return __longlong_as_double(bits);
  else return static_cast<W>(bits);
}

// V values of a column: rows of this thread, dead ones as 0.
template <class E, class W, int V>
__device__ __forceinline__ void read(const DeviceColumn& column, long base, const uint32* live, W* values) {
  const E* from = static_cast<const E*>(column.values) + base + threadIdx.x;
  E raw[V];
#pragma unroll
  for (int k = 0; k < V; ++k) raw[k] = live[k] >> (threadIdx.x & 31) & 1 ? from[k * kThreads] : E(0);
  const W offset = static_cast<W>(column.base);
#pragma unroll
  for (int k = 0; k < V; ++k) values[k] = static_cast<W>(raw[k]) + offset;
}

template <class W, int V>
__device__ __forceinline__ void fetch(const DeviceProgram& program, const DeviceOperand& operand, int64 literal,
                                      long base, const uint32* live, const W* registers, W* values) {
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
__global__ void __launch_bounds__(kThreads) run_tiles(const __grid_constant__ DeviceProgram program, long rows,
                                                      unsigned long long* totals, unsigned long long* node_rows) {
  extern __shared__ __align__(16) char shared[];
  W* registers = reinterpret_cast<W*>(shared);
  uint32* masks = reinterpret_cast<uint32*>(registers + program.registers * V * kThreads);
  unsigned long long* cells = reinterpret_cast<unsigned long long*>(
      reinterpret_cast<char*>(masks) + (program.masks * V * (kThreads / 32) * 4 + 15) / 16 * 16);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int set = threadIdx.x % program.copies;
  const bool alone = program.copies == kThreads;
  const int accumulators = program.cells * program.groups;
  for (int j = threadIdx.x; j < accumulators * program.copies; j += kThreads) cells[j] = 0;
  __syncthreads();
  unsigned long long counted[kMaxNodes] = {};  // of live rows, by node; the lanes of a warp share the nodes

  for (long base = blockIdx.x * long(kThreads) * V; base < rows; base += gridDim.x * long(kThreads) * V) {
    uint32 live[V];
    uint32 group[V];
    if (base + long(kThreads) * V <= rows) {
#pragma unroll
      for (int k = 0; k < V; ++k) live[k] = ~0u;
    } else {
#pragma unroll
      for (int k = 0; k < V; ++k) live[k] = __ballot_sync(~0u, base + k * kThreads + threadIdx.x < rows);
    }
#pragma unroll
    for (int k = 0; k < V; ++k) group[k] = 0;
    for (int at = 0; at < program.step_count; ++at) {
      const DeviceStep& step = program.steps[at];
      W a[V], b[V];
      fetch<W, V>(program, step.a, step.op == DeviceOp::group_field ? step.extra : step.low, base, live, registers, a);
      uint32 mask[V];
      bool makes_mask = false, makes_value = false;
      auto mask_of = [&](uint8 index, int k) -> uint32 {
        if (index == kNone) return ~0u;
        if (index == kLive) return live[k];
        return masks[(index * V + k) * (kThreads / 32) + warp];
      };
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
#define FZ_PREDICATE(number, name)                                                                                    \
  case number:                                                                                                        \
    _Pragma("unroll") for (int k = 0; k < V; ++k) mask[k] = __ballot_sync(~0u, test<functions::name, W>(a[k], b[k])); \
    break;
#include "device_functions.inc"
#undef FZ_PREDICATE
            default: break;
          }
          makes_mask = true;
          break;
        }
        case DeviceOp::range: {
          const W low = step.low < -(1ll << 31) && sizeof(W) == 4 ? W(-(1ll << 31)) : W(step.low);
          const W high = step.high > (1ll << 31) - 1 && sizeof(W) == 4 ? W((1ll << 31) - 1) : W(step.high);
#pragma unroll
          for (int k = 0; k < V; ++k) mask[k] = __ballot_sync(~0u, a[k] >= low && a[k] <= high);
          makes_mask = true;
          break;
        }
        case DeviceOp::lookup: {
          const uint8* table = program.tables[step.low];
#pragma unroll
          for (int k = 0; k < V; ++k)
            mask[k] = __ballot_sync(~0u, (live[k] >> lane & 1) && table[static_cast<int>(a[k])]);
          makes_mask = true;
          break;
        }
        case DeviceOp::valid: {
          const uint32* words = program.columns[step.a.index].validity;
#pragma unroll
          for (int k = 0; k < V; ++k) {
            const long row = base + k * kThreads + warp * 32;
            mask[k] = !words ? ~0u : row < rows ? words[row >> 5] : 0;
          }
          makes_mask = true;
          break;
        }
        case DeviceOp::mask_and:
#pragma unroll
          for (int k = 0; k < V; ++k) mask[k] = mask_of(step.mask_a, k) & mask_of(step.mask_b, k);
          makes_mask = true;
          break;
        case DeviceOp::mask_or:
#pragma unroll
          for (int k = 0; k < V; ++k) mask[k] = mask_of(step.mask_a, k) | mask_of(step.mask_b, k);
          makes_mask = true;
          break;
        case DeviceOp::mask_and_not:
#pragma unroll
          for (int k = 0; k < V; ++k) mask[k] = mask_of(step.mask_a, k) & ~mask_of(step.mask_b, k);
          makes_mask = true;
          break;
        case DeviceOp::mask_not:
#pragma unroll
          for (int k = 0; k < V; ++k) mask[k] = ~mask_of(step.mask_a, k);
          makes_mask = true;
          break;
        case DeviceOp::group_field: {
          const W low = W(step.low);
          const uint32 stride = static_cast<uint32>(step.high);
#pragma unroll
          for (int k = 0; k < V; ++k) {
            uint32 digit = static_cast<uint32>(static_cast<long>(a[k] - low));
            if (step.has_validity) digit = mask_of(step.mask_a, k) >> lane & 1 ? digit + 1 : 0;
            group[k] += digit * stride;
          }
          break;
        }
        case DeviceOp::count: {
          unsigned long long* cell = cells + step.cell * program.groups * program.copies + set;
          if (alone && step.mask_a == kNone) {
#pragma unroll
            for (int k = 0; k < V; ++k) {
              if (live[k] >> lane & 1) ++cell[group[k] * kThreads];
            }
          } else {
#pragma unroll
            for (int k = 0; k < V; ++k) {
              if ((live[k] & mask_of(step.mask_a, k)) >> lane & 1) atomicAdd(&cell[group[k] * program.copies], 1ull);
            }
          }
          break;
        }
        case DeviceOp::count_rows: {
          unsigned long long alive = 0;
#pragma unroll
          for (int k = 0; k < V; ++k) alive += __popc(live[k]);
#pragma unroll
          for (int n = 0; n < kMaxNodes; ++n) {
            if (n == step.low) counted[n] += alive;
          }
          break;
        }
      }
      if (makes_value && step.dst != kNone) {
#pragma unroll
        for (int k = 0; k < V; ++k) registers[(step.dst * V + k) * kThreads + threadIdx.x] = a[k];
      }
      if (makes_value && step.cell != kNone) {
        Accumulator<W>* cell = reinterpret_cast<Accumulator<W>*>(cells) + step.cell * program.groups * program.copies + set;
        uint32 mine = 0;  // this thread's rows, a bit each
        if (step.mask_a == kNone) {
#pragma unroll
          for (int k = 0; k < V; ++k) mine |= (live[k] >> lane & 1) << k;
        } else {
#pragma unroll
          for (int k = 0; k < V; ++k) mine |= ((live[k] & mask_of(step.mask_a, k)) >> lane & 1) << k;
        }
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
        uint32 any = 0;
#pragma unroll
        for (int k = 0; k < V; ++k) {
          live[k] &= mask[k];
          any |= live[k];
        }
        if (!any) break;
      } else if (makes_mask) {
        if (lane == 0) {
#pragma unroll
          for (int k = 0; k < V; ++k) masks[(step.dst * V + k) * (kThreads / 32) + warp] = mask[k];
        }
        __syncwarp();
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
  if (lane == 0) {
#pragma unroll
    for (int n = 0; n < kMaxNodes; ++n) {
      if (n < program.nodes) atomicAdd(&node_rows[n], counted[n]);
    }
  }
}

}  // namespace frazil::primitives::cuda
