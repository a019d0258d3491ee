// The kernel that runs tile programs: each block takes tiles of V rows a thread. A mask is one word a thread, a bit for
// each of its rows; registers lie in shared memory. Sums go to accumulators in shared memory, one set for each thread
// where they fit, so that no two threads add to one place; each block leaves its totals, which a second kernel adds in
// order.
#pragma once

#include <type_traits>

#include "functions/function.hpp"
#include "primitives/cuda/device_program.hpp"

namespace frazil::primitives::cuda {

constexpr int kThreads = 128;

// As measured on an H200 with PDS-H Q1 and Q6 (docs/design/0003-cuda.md).
template <class W, bool kGrouped>
struct Tuning {
  static constexpr int rows = sizeof(W) == 4 ? 16 : 8;                  // a thread
  static constexpr int blocks = kGrouped ? 4 : sizeof(W) == 4 ? 6 : 5;  // an SM at the least
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

// a = F(a, b, parameter), row by row.
template <class F, class W, int N>
__device__ __forceinline__ void apply_rows(W (&a)[N], const W (&b)[N], W parameter) {
  constexpr int usual = F::info.usual_parameter;
  if (usual != 0 && parameter == W(usual)) {
#pragma unroll
    for (int j = 0; j < N; ++j) a[j] = call<F, W>(a[j], b[j], W(usual));
  } else {
#pragma unroll
    for (int j = 0; j < N; ++j) a[j] = call<F, W>(a[j], b[j], parameter);
  }
}

// b = F(literal, b), or F(b, literal), row by row.
template <class F, class W, int N>
__device__ __forceinline__ void apply_beside(bool literal_first, W literal, W (&b)[N]) {
  if constexpr (F::info.arguments == 2 && F::info.parameters == 0) {
#pragma unroll
    for (int j = 0; j < N; ++j) b[j] = literal_first ? call<F, W>(literal, b[j], W{}) : call<F, W>(b[j], literal, W{});
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

template <class E>
struct Widened {
  using T = std::conditional_t<(sizeof(E) < 4), int32, E>;
};

// What a block has in shared memory, as one of its threads sees it.
template <class W>
struct Block {
  const DeviceProgram& program;
  W* registers;   // row k of register r: (r * rows + k) * kThreads
  uint32* masks;  // mask m: m * kThreads, a bit a row
  bool alone;     // nobody else adds to the accumulators of this thread
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

// A step's head in four registers: its fields are taken out where they are looked at.
struct Head {
  uint4 words;

  template <size_t kAt>
  __device__ __forceinline__ uint8 byte() const {
    constexpr size_t kWord = kAt / 4;
    const uint32 word = kWord == 0 ? words.x : kWord == 1 ? words.y : kWord == 2 ? words.z : words.w;
    return static_cast<uint8>(word >> kAt % 4 * 8);
  }
  template <size_t kAt>
  __device__ __forceinline__ DeviceOperand operand() const {
    return {static_cast<DeviceOperand::Kind>(byte<kAt>()), byte<kAt + 1>()};
  }
  __device__ __forceinline__ DeviceOp op() const { return static_cast<DeviceOp>(byte<offsetof(StepHead, op)>()); }
  __device__ __forceinline__ uint8 dst() const { return byte<offsetof(StepHead, dst)>(); }
  __device__ __forceinline__ uint8 cell() const { return byte<offsetof(StepHead, cell)>(); }
  __device__ __forceinline__ uint8 cell_a() const { return byte<offsetof(StepHead, cell_a)>(); }
  __device__ __forceinline__ uint8 cell_b() const { return byte<offsetof(StepHead, cell_b)>(); }
  __device__ __forceinline__ uint8 mask_a() const { return byte<offsetof(StepHead, mask_a)>(); }
  __device__ __forceinline__ uint8 mask_b() const { return byte<offsetof(StepHead, mask_b)>(); }
  __device__ __forceinline__ bool has(uint8 flag) const { return byte<offsetof(StepHead, flags)>() & flag; }
  __device__ __forceinline__ DeviceOperand a() const { return operand<offsetof(StepHead, a)>(); }
  __device__ __forceinline__ DeviceOperand b() const { return operand<offsetof(StepHead, b)>(); }
  __device__ __forceinline__ uint32 function() const { return words.w & 0xffff; }
  __device__ __forceinline__ uint32 inner() const { return words.w >> 16; }
};
static_assert(offsetof(StepHead, function) == 12 && offsetof(StepHead, inner) == 14);

__device__ __forceinline__ Head head_of(const DeviceStep& step) { return {reinterpret_cast<const uint4&>(step)}; }

// Runs steps over N rows of a thread. Bit j of a mask in hand is row rows[j]; masks in shared memory go by row.
// Arrays are local to a case of the switch: one that lives on through the loop is copied in every step.
template <class W, bool kGrouped, int N, class Rows>
struct Worker {
  static constexpr int kRows = Tuning<W, kGrouped>::rows;
  static constexpr uint32 kAll = (1u << N) - 1;
  static_assert(kRows < 32);

  const Block<W>& block;
  const Rows rows;
  const long base;
  uint32 live;
  bool sparse;  // dead rows are not read: they may lie behind the end, or be too many
  uint32 (&counted)[kMaxNodes];
  uint32 group[kGrouped ? N : 1];  // address of this thread's accumulator of a row's group, in the first cell

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

  // Values of a column; dead rows are 0 or what lies there.
  template <class E, class T>
  __device__ __forceinline__ void read(const DeviceOperand& operand, T (&values)[N]) const {
    const DeviceColumn& column = block.program.columns[operand.index];
    const E* from = static_cast<const E*>(column.values) + base + threadIdx.x;
    typename Widened<E>::T raw[N];  // the load widens short ones
    if (sparse) {
#pragma unroll
      for (int j = 0; j < N; ++j) raw[j] = live >> j & 1 ? from[rows[j] * kThreads] : E(0);
    } else {
#pragma unroll
      for (int j = 0; j < N; ++j) raw[j] = from[rows[j] * kThreads];
    }
    const T offset = static_cast<T>(column.base);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      values[j] = static_cast<T>(raw[j]);
      if constexpr (!__is_same(E, double)) values[j] += offset;  // -0.0 + 0.0 would lose its sign
    }
  }

  template <class T>
  __device__ __forceinline__ void fetch(const DeviceOperand& operand, int64 literal, T (&values)[N]) const {
    if constexpr (__is_same(T, W)) {
      if (operand.kind == DeviceOperand::reg) {
        const W* from = block.registers + operand.index * kRows * kThreads + threadIdx.x;
#pragma unroll
        for (int j = 0; j < N; ++j) values[j] = from[rows[j] * kThreads];
        return;
      }
      if constexpr (__is_same(W, double)) {
        if (operand.kind == DeviceOperand::f64) return read<double>(operand, values);
      }
    }
    switch (operand.kind) {
      case DeviceOperand::i8: return read<int8>(operand, values);
      case DeviceOperand::u8: return read<uint8>(operand, values);
      case DeviceOperand::i16: return read<int16>(operand, values);
      case DeviceOperand::u16: return read<uint16>(operand, values);
      case DeviceOperand::i32: return read<int32>(operand, values);
      case DeviceOperand::u32: return read<uint32>(operand, values);
      case DeviceOperand::i64: return read<int64>(operand, values);
      default: break;
    }
#pragma unroll
    for (int j = 0; j < N; ++j) values[j] = literal_of<T>(literal);
  }

  // Gives operand a to use, as integers of 32 bits where they hold it.
  template <class Use>
  __device__ __forceinline__ void with_whole(const Head& step, int64 literal, const Use& use) const {
    if (sizeof(W) > 4 && step.has(kWhole)) {
      int32 a[N];
      fetch(step.a(), literal, a);
      use(a);
    } else {
      W a[N];
      fetch(step.a(), literal, a);
      use(a);
    }
  }

  // In programs with groups alone: without them the code is longer, which costs more than the step that is saved.
  __device__ __forceinline__ void inner(const Head& step, W literal, W (&b)[N]) const {
    switch (step.inner()) {
#define FZ_FUNCTION(number, name) \
  case number: return apply_beside<functions::name>(step.has(kLiteralFirst), literal, b);
#include "device_functions.inc"
#undef FZ_FUNCTION
      default: break;
    }
  }

  __device__ __forceinline__ void function(const Head& step, const DeviceStep& more, W (&a)[N]) const {
    W b[N];
    fetch(step.b(), more.extra, b);
    if (step.cell_b() != kNone) sum(step.cell_b(), live, b);
    if constexpr (kGrouped) {
      if (step.inner() != kNoFunction) inner(step, literal_of<W>(more.extra), b);
    }
    const W parameter = literal_of<W>(more.high);
    switch (step.function()) {
#define FZ_FUNCTION(number, name) \
  case number: return apply_rows<functions::name>(a, b, parameter);
#include "device_functions.inc"
#undef FZ_FUNCTION
      default: break;
    }
  }

  __device__ __forceinline__ uint32 predicate(const Head& step, const DeviceStep& more) const {
    W a[N], b[N];
    fetch(step.a(), more.low, a);
    fetch(step.b(), more.extra, b);
    uint32 mask = 0;
    switch (step.function()) {
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

  __device__ __forceinline__ uint32 range(const Head& step, const DeviceStep& more) const {
    uint32 mask = 0;
    with_whole(step, 0, [&]<class T>(const T(&a)[N]) {
      const T low = bound_of<T>(more.low), high = bound_of<T>(more.high);
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (a[j] >= low && a[j] <= high) mask |= 1u << j;
      }
    });
    return mask;
  }

  __device__ __forceinline__ uint32 lookup(const Head& step, const DeviceStep& more) const {
    const uint8* table = block.program.tables[more.low];
    const auto size = static_cast<uint32>(more.high);
    uint32 mask = 0;
    with_whole(step, 0, [&](const auto& a) {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const auto code = static_cast<uint32>(static_cast<int>(a[j]));
        if (live >> j & 1 && code < size) mask |= static_cast<uint32>(table[code]) << j;
      }
    });
    return mask;
  }

  __device__ __forceinline__ uint32 valid(const Head& step) const {
    const uint32* words = block.program.columns[step.a().index].validity;
    if (!words) return kAll;
    uint32 mask = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const long row = base + rows[j] * kThreads + threadIdx.x;
      if (live >> j & 1) mask |= (words[row >> 5] >> (row & 31) & 1) << j;
    }
    return mask;
  }

  __device__ __forceinline__ void add_digit(const Head& step, const DeviceStep& more) {
    const auto stride = static_cast<uint32>(more.high);
    const uint32 present = mask_of(step.mask_a());
    with_whole(step, more.extra, [&]<class T>(const T(&a)[N]) {
      const T low = T(more.low);
#pragma unroll
      for (int j = 0; j < N; ++j) {
        auto digit = static_cast<uint32>(static_cast<long>(a[j] - low));
        if (step.has(kNullable)) digit = present >> j & 1 ? digit + 1 : 0;
        group[j] += digit * stride;
      }
    });
  }

  __device__ __forceinline__ uint32 rows_of(const Head& step) const {
    return step.mask_a() == kNone ? live : live & mask_of(step.mask_a());
  }

  // Where a cell's accumulators begin. The compiler must not read the constant again for each row.
  __device__ __forceinline__ uint32 offset_of(uint8 cell) const {
    uint32 offset = cell * block.program.cell_bytes;
    asm volatile("" : "+r"(offset));
    return offset;
  }

  template <class T>
  __device__ __forceinline__ T* accumulator(uint32 offset, int j) const {
    return static_cast<T*>(__cvta_shared_to_generic(offset + group[j]));
  }

  // Adds value(j) to accumulators of this thread's own. Whole numbers two rows at once, so that their accumulators
  // arrive together; where they are one, the second adds to the first. For floats that takes more selects than it
  // saves.
  template <class T, class Value>
  __device__ __forceinline__ void add_to_own(uint32 offset, uint32 mine, const Value& value) const {
    if constexpr (__is_same(W, double)) {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (mine >> j & 1) *accumulator<T>(offset, j) += value(j);
      }
    } else {
#pragma unroll
      for (int j = 0; j < N; j += 2) {
        const bool first_counts = mine >> j & 1, second_counts = mine >> (j + 1) & 1;
        T *one = accumulator<T>(offset, j), *two = accumulator<T>(offset, j + 1);
        T first, second;
        if (first_counts) first = *one;
        if (second_counts) second = *two;
        if (first_counts) first += value(j);
        if (first_counts && one == two) second = first;
        if (second_counts) second += value(j + 1);
        if (first_counts) *one = first;
        if (second_counts) *two = second;
      }
    }
  }

  // Without groups every thread has accumulators of its own.
  __device__ __forceinline__ void sum(uint8 cell, uint32 mine, const W (&a)[N]) const {
    using T = Accumulator<W>;
    const uint32 offset = offset_of(cell);
    if constexpr (!kGrouped) {
      T total = 0;
#pragma unroll
      for (int j = 0; j < N; ++j) total += mine >> j & 1 ? T(a[j]) : T(0);
      *accumulator<T>(offset, 0) += total;
    } else if (__is_same(W, double) || block.alone) {  // sums of floats are never shared
      add_to_own<T>(offset, mine, [&](int j) { return T(a[j]); });
    } else {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (mine >> j & 1) add_atomically(accumulator<T>(offset, j), T(a[j]));
      }
    }
  }

  __device__ __forceinline__ void count(const Head& step) const {
    using T = unsigned long long;
    const uint32 mine = rows_of(step), offset = offset_of(step.cell());
    if constexpr (!kGrouped) {
      *accumulator<T>(offset, 0) += __popc(mine);
    } else if (__is_same(W, double) || block.alone) {
      add_to_own<T>(offset, mine, [](int) { return T(1); });
    } else {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (mine >> j & 1) atomicAdd(accumulator<T>(offset, j), 1ull);
      }
    }
  }

  __device__ __forceinline__ void count_rows(const Head& step) {
#pragma unroll
    for (int n = 0; n < kMaxNodes; ++n) counted[n] += n == step.cell() ? __popc(live) : 0;
  }

  __device__ __forceinline__ void value(const Head& step, const DeviceStep& more) const {
    W a[N];
    fetch(step.a(), more.low, a);
    if (step.cell_a() != kNone) sum(step.cell_a(), live, a);
    if (step.op() == DeviceOp::function) function(step, more, a);
    if (step.dst() != kNone) {
      W* to = block.registers + step.dst() * kRows * kThreads + threadIdx.x;
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (N == kRows || live >> j & 1) to[rows[j] * kThreads] = a[j];
      }
    }
    if (step.cell() != kNone) sum(step.cell(), rows_of(step), a);
  }

  __device__ __forceinline__ uint32 mask(const Head& step, const DeviceStep& more) const {
    switch (step.op()) {
      case DeviceOp::range: return range(step, more);
      case DeviceOp::predicate: return predicate(step, more);
      case DeviceOp::lookup: return lookup(step, more);
      case DeviceOp::valid: return valid(step);
      case DeviceOp::mask_and: return mask_of(step.mask_a()) & mask_of(step.mask_b());
      case DeviceOp::mask_or: return mask_of(step.mask_a()) | mask_of(step.mask_b());
      case DeviceOp::mask_and_not: return mask_of(step.mask_a()) & ~mask_of(step.mask_b());
      default: return ~mask_of(step.mask_a()) & kAll;
    }
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
      const uint32 first = (1u << __popc(live)) - 1;
      Worker<W, kGrouped, kFew, FewRows<kFew>> worker{block, few, base, first, true, counted, {group[0]}};
      worker.run(at);
      return true;
    }
    return false;
  }

  // False if nothing is left to do in this tile.
  __device__ __forceinline__ bool narrow(uint32 mask, int at) {
    live &= mask;
    sparse |= __any_sync(~0u, 2 * __popc(live) <= N) != 0;
    return __any_sync(~0u, live) && !run_few(at);
  }

  __device__ __forceinline__ void run(int at) {
    Head next = head_of(block.program.steps[at]);
    while (at < block.program.step_count) {
      const Head step = next;
      const DeviceStep& more = block.program.steps[at];
      next = head_of(block.program.steps[++at]);
      if (step.op() <= DeviceOp::sum) value(step, more);
      else if (step.op() == DeviceOp::count) count(step);
      else if (step.op() == DeviceOp::count_rows) count_rows(step);
      else if (step.op() == DeviceOp::group_field) {
        if constexpr (kGrouped) add_digit(step, more);
      } else {
        const uint32 made = mask(step, more);
        if (!step.has(kFilters)) store_mask(step.dst(), made);
        else if (!narrow(made, at)) return;
      }
    }
  }
};

// Fetches the columns of a tile that every row is read of from memory to L2: a thread a column.
__device__ __forceinline__ void prefetch(const DeviceProgram& program, long begin, long end) {
  if (static_cast<int>(threadIdx.x) >= program.column_count || begin >= end) return;
  const DeviceColumn& column = program.columns[threadIdx.x];
  const auto bytes = static_cast<uint32>((end - begin) * column.bytes) & ~15u;
  if (column.late || bytes == 0) return;
  const auto from = reinterpret_cast<unsigned long long>(column.values) + begin * column.bytes;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from & ~15ull), "r"(bytes));
}

template <class W, bool kGrouped>
__global__ void __launch_bounds__(kThreads, Tuning<W, kGrouped>::blocks)
    run_tiles(const __grid_constant__ DeviceProgram program, long rows, unsigned long long* totals,
              unsigned long long* node_rows) {
  constexpr int kRows = Tuning<W, kGrouped>::rows;
  constexpr long kTile = long(kThreads) * kRows;
  extern __shared__ __align__(16) char shared[];
  W* registers = reinterpret_cast<W*>(shared);
  char* behind = shared + program.registers * kTile * sizeof(W);
  const Block<W> block{program, registers, reinterpret_cast<uint32*>(behind) + threadIdx.x, program.copies == kThreads};
  auto* cells = reinterpret_cast<unsigned long long*>(behind + program.masks * kThreads * sizeof(uint32));
  const uint32 own = static_cast<uint32>(__cvta_generic_to_shared(cells)) + threadIdx.x % program.copies * 8;
  const int accumulators = program.cells * program.groups;
  for (int j = threadIdx.x; j < accumulators * program.copies; j += kThreads) cells[j] = 0;
  __syncthreads();
  uint32 counted[kMaxNodes] = {};  // this thread's live rows, by node

  const long stride = gridDim.x * kTile;
  for (long base = blockIdx.x * kTile; base < rows; base += stride) {
    prefetch(program, base + stride, min(base + stride + kTile, rows));
    const bool is_last = base + kTile > rows;
    Worker<W, kGrouped, kRows, AllRows> worker{block, {}, base, (1u << kRows) - 1, is_last, counted, {}};
#pragma unroll
    for (int k = 0; k < (kGrouped ? kRows : 1); ++k) worker.group[k] = own;
    if (is_last) {
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
    const unsigned long long* copies = cells + j * program.copies;
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
