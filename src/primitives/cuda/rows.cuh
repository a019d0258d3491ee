// The row interpreter: a kernel that runs every tile program, a few rows a thread. Registers lie in shared memory,
// masks in two words a thread, a bit for each mask and row. All threads of a warp are at the same instruction, and a
// warp leaves the program when none of its rows is live.
#pragma once

#include "functions/function.hpp"
#include "primitives/cuda/table.cuh"
#include "primitives/ordered_bits.hpp"

namespace frazil::primitives::cuda {

using program::Element;
using program::Instruction;
using program::KeyField;
using program::Op;
using program::Operand;
using program::RegisterView;
using program::Type;

// Calls f with a zero of the type that registers of `type` hold.
template <class F>
__device__ __forceinline__ void with_type(Type type, F f) {
  switch (type) {
    case Type::i32: return f(int32{});
    case Type::row: return f(uint32{});
    case Type::i64: return f(int64{});
    case Type::u64: return f(uint64{});
    case Type::i128: return f(int128{});
    case Type::u128: return f(uint128{});
    case Type::f32: return f(float{});
    case Type::f64: return f(double{});
    default: return;
  }
}

template <class T>
constexpr Type kTypeOf = Type::none;
// clang-format off
template <> constexpr Type kTypeOf<int32> = Type::i32;
template <> constexpr Type kTypeOf<int64> = Type::i64;
template <> constexpr Type kTypeOf<uint64> = Type::u64;
template <> constexpr Type kTypeOf<int128> = Type::i128;
template <> constexpr Type kTypeOf<float> = Type::f32;
template <> constexpr Type kTypeOf<double> = Type::f64;
template <> constexpr Type kTypeOf<RegisterView> = Type::view;
// clang-format on

template <class T>
constexpr bool kIsFloat = __is_same(T, float) || __is_same(T, double);

// How accumulators combine; the first is what one holds before its first row.
template <class T>
struct Combine {
  Op op;
  __device__ __forceinline__ T neutral() const {
    if (op == Op::cell_add || op == Op::cell_count) return T(0);
    if constexpr (kIsFloat<T>) {
      return static_cast<T>(__builtin_nan(""));
    } else {
      constexpr T kLowest = T(-1) < T(0) ? static_cast<T>(T(1) << (sizeof(T) * 8 - 1)) : T(0);
      return op == Op::cell_min ? static_cast<T>(~kLowest) : kLowest;
    }
  }
  __device__ __forceinline__ T operator()(T a, T b) const {
    if (op == Op::cell_min) return a != a || b < a ? b : a;
    if (op == Op::cell_max) return a != a || b > a ? b : a;
    if constexpr (sizeof(T) == 16) return static_cast<T>(static_cast<uint128>(a) + static_cast<uint128>(b));
    else if constexpr (kIsFloat<T>) return a + b;
    else return static_cast<T>(static_cast<uint64>(a) + static_cast<uint64>(b));
  }
};

template <class T>
__device__ __forceinline__ T shuffle(T value, int lane) {
  if constexpr (sizeof(T) == 16) {
    const uint64 low = __shfl_sync(~0u, static_cast<uint64>(value), lane);
    const uint64 high = __shfl_sync(~0u, static_cast<uint64>(static_cast<uint128>(value) >> 64), lane);
    return static_cast<T>(static_cast<uint128>(high) << 64 | low);
  } else {
    return __shfl_sync(~0u, value, lane);
  }
}

template <class T>
struct BitsOfSize {
  using Bits = unsigned long long;
};
template <>
struct BitsOfSize<float> {
  using Bits = uint32;
};
template <class T>
using BitsOf = typename BitsOfSize<T>::Bits;

// What a function makes of a row: a value and whether it is bad, or truth.
template <class T>
struct Computed {
  T value;
  bool marked;
};
// Compiled on their own: all of them inside of the kernel would be a text that takes the compiler minutes.
template <class F, class T>
__device__ __noinline__ Computed<T> compute(T a, [[maybe_unused]] T b, [[maybe_unused]] T c) {
  constexpr int n = F::info.arguments + F::info.parameters;
  [[maybe_unused]] bool bad = false;
  auto applied = [&] {
    if constexpr (n == 1 && F::info.may_fail) return F::apply(a, bad);
    else if constexpr (n == 1) return F::apply(a);
    else if constexpr (n == 2 && F::info.may_fail) return F::apply(a, b, bad);
    else if constexpr (n == 2) return F::apply(a, b);
    else if constexpr (F::info.may_fail && F::info.usual_parameter != 0)
      return c == T(F::info.usual_parameter) ? F::apply(a, b, T(F::info.usual_parameter), bad) : F::apply(a, b, c, bad);
    else if constexpr (F::info.may_fail) return F::apply(a, b, c, bad);
    else return F::apply(a, b, c);
  };
  if constexpr (F::info.to_mask) {
    return {T{}, applied()};
  } else {
    const T value = static_cast<T>(applied());
    return {value, bad};
  }
}

// A cell gets one more value; other threads may add to it as well.
template <class T>
__device__ __forceinline__ void combine_atomically(T* cell, T value, Combine<T> combine) {
  if constexpr (sizeof(T) == 16) {  // sums alone: the carry may come later
    auto* words = reinterpret_cast<unsigned long long*>(cell);
    const auto low = static_cast<unsigned long long>(value);
    auto high = static_cast<unsigned long long>(static_cast<uint128>(value) >> 64);
    const unsigned long long before = atomicAdd(&words[0], low);
    if (before + low < before) ++high;
    if (high) atomicAdd(&words[1], high);
  } else if (combine.op == Op::cell_add || combine.op == Op::cell_count) {
    if constexpr (kIsFloat<T>) atomicAdd(cell, value);
    else atomicAdd(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
  } else if constexpr (kIsFloat<T>) {
    using Bits = BitsOf<T>;
    auto* bits = reinterpret_cast<Bits*>(cell);
    Bits known = *bits;
    for (;;) {
      T held;
      __builtin_memcpy(&held, &known, sizeof held);
      const T best = combine(held, value);
      Bits wanted;
      __builtin_memcpy(&wanted, &best, sizeof wanted);
      if (wanted == known) return;
      const Bits before = atomicCAS(bits, known, wanted);
      if (before == known) return;
      known = before;
    }
  } else if constexpr (T(-1) < T(0)) {
    if (combine.op == Op::cell_min) atomicMin(reinterpret_cast<long long*>(cell), static_cast<long long>(value));
    else atomicMax(reinterpret_cast<long long*>(cell), static_cast<long long>(value));
  } else {
    if (combine.op == Op::cell_min)
      atomicMin(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
    else atomicMax(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
  }
}

// The rows of a thread that are worked on at once; row k lies 32 rows behind row k - 1, so that a warp reads
// neighbours.
template <int kRows>
class Rows {
 public:
  static constexpr uint32 kAll = (1u << kRows) - 1;

  // `hot`: the program's text in shared memory; the registers lie behind it.
  __device__ __forceinline__ Rows(const RowProgram& program, const char* hot)
      : p_(program),
        hot_(hot),
        units_(reinterpret_cast<uint64*>(const_cast<char*>(hot) + program.hot_bytes) + threadIdx.x) {}

  // `first`: the warp's first row, a multiple of 32. `words`: its words of the live mask, in the pass that emits.
  __device__ __forceinline__ void run(int64 first, uint32 exists, const uint32 (&words)[kRows]) {
    first_ = first;
    exists_ = exists;
    for (int at = 0; at < p_.steps; ++at) {
      const Instruction& i = code(at);
      switch (i.op) {
        case Op::load: load(i); break;
        case Op::load_bits: load_bits(i, static_cast<const uint32*>(column(i.a.index).values)); break;
        case Op::load_valid: load_bits(i, column(i.a.index).validity); break;
        case Op::map: map(i); break;
        case Op::call: call(i); break;
        case Op::convert: convert(i); break;
        case Op::wrap: wrap(i); break;
        case Op::select: select(i); break;
        case Op::mask_and: set_mask(i.dst, mask(i.a) & mask(i.b)); break;
        case Op::mask_or: set_mask(i.dst, mask(i.a) | mask(i.b)); break;
        case Op::mask_and_not: set_mask(i.dst, mask(i.a) & ~mask(i.b)); break;
        case Op::mask_not: set_mask(i.dst, exists_ & ~mask(i.a)); break;
        case Op::range: range(i); break;
        case Op::lookup: lookup(i); break;
        case Op::filter: {
          const uint32 live = mask(i.a) & mask(i.b);
          set_mask(i.dst, live);
          if (!__any_sync(~0u, live)) return;
          break;
        }
        case Op::compact: exists_ &= mask(i.a); break;  // from here on the others are not there
        case Op::pack_key:
          if (i.type == Type::u64) pack_key<uint64>(i);
          else pack_key<uint128>(i);
          break;
        case Op::bytes_key: bytes_key(i); break;
        case Op::group: {
          const uint32 wanted = mask(i.c);
          with_key(i, [&](auto zero) {
            each_slowly([&](int k) {
              set(i.dst, k, wanted >> k & 1 ? find_group(slot_of(i), get<decltype(zero)>(i.a, k), p_.outcome) : 0u);
            });
          });
          break;
        }
        case Op::probe: probe(i); break;
        case Op::matched: {
          const Values found = values(i.a);
          set_mask(i.dst, exists_ & test([&](int k) { return get<uint32>(found, k) != kNoPlace; }));
          break;
        }
        case Op::position: each([&](int k) { set(i.dst, k, row(k)); }); break;
        case Op::gather: gather(i); break;
        case Op::gather_valid: {
          const RowSlot& slot = slot_of(i);
          set_mask(i.dst, test([&](int k) {
                     const uint32 from = get<uint32>(i.a, k);
                     return exists_ >> k & 1 && from < slot.size && (!slot.state || bit(slot.state, from));
                   }));
          break;
        }
        case Op::cell_add:
        case Op::cell_min:
        case Op::cell_max:
        case Op::cell_count: cell(i); break;
        case Op::emit:
        case Op::emit_mask:
        case Op::emit_rows:
          if (p_.pass == RowProgram::count) return count(i);  // emits are the end of a program
          each([&](int k) { emit(i, k, words[k]); });
          break;
        case Op::count_rows: count_rows(i); break;
      }
    }
  }

  // The arguments of a call, as functions of the shapes view and string read them.
  struct Arguments {
    const Rows& rows;
    const KeyField* begin;
    int count;
    int k;
    __device__ __forceinline__ int size() const { return count; }
    __device__ __forceinline__ bool valid(int f) const { return rows.mask(begin[f].valid) >> k & 1; }
    __device__ __forceinline__ RegisterView text(int f) const { return rows.get<RegisterView>(begin[f].value, k); }
    __device__ __forceinline__ int128 whole(int f) const {
      int128 value = 0;
      with_type(begin[f].type, [&](auto zero) {
        if constexpr (!kIsFloat<decltype(zero)>)
          value = static_cast<int128>(rows.get<decltype(zero)>(begin[f].value, k));
      });
      return value;
    }
  };

 private:
  __device__ __forceinline__ static bool bit(const uint32* words, int64 at) { return words[at >> 5] >> (at & 31) & 1; }
  template <class T>
  __device__ __forceinline__ const T& hot(int at, int number) const {
    return reinterpret_cast<const T*>(hot_ + at)[number];
  }
  __device__ __forceinline__ const Instruction& code(int at) const { return hot<Instruction>(p_.code_at, at); }
  __device__ __forceinline__ const RowColumn& column(int c) const { return hot<RowColumn>(p_.columns_at, c); }
  __device__ __forceinline__ const RowSlot& slot_of(const Instruction& i) const {
    return hot<RowSlot>(p_.slots_at, i.slot);
  }
  __device__ __forceinline__ const KeyField& field_at(int f) const { return hot<KeyField>(p_.fields_at, f); }
  __device__ __forceinline__ int list_begin(int l) const { return hot<int>(p_.lists_at, l); }
  __device__ __forceinline__ int64 row(int k) const { return first_ + 32 * k + (threadIdx.x & 31); }

  template <class F>
  __device__ __forceinline__ static void each(F f) {
#pragma unroll
    for (int k = 0; k < kRows; ++k) f(k);
  }
  template <class F>
  __device__ __forceinline__ static void each_slowly(F f) {  // for what is long: once in the code
#pragma unroll 1
    for (int k = 0; k < kRows; ++k) f(k);
  }
  template <class F>
  __device__ __forceinline__ static uint32 test(F f) {
    uint32 mask = 0;
    each([&](int k) { mask |= static_cast<uint32>(static_cast<bool>(f(k))) << k; });
    return mask;
  }

  // A mask's rows, a bit each.
  __device__ __forceinline__ uint32 mask(const Operand& o) const {
    if (o.kind == Operand::none) return exists_;
    const int at = o.index * kRows;
    return static_cast<uint32>((at < 64 ? low_masks_ : high_masks_) >> (at & 63)) & kAll;
  }
  __device__ __forceinline__ void set_mask(const Operand& o, uint32 rows) {
    const int at = o.index * kRows;
    uint64& masks = at < 64 ? low_masks_ : high_masks_;
    masks = (masks & ~(uint64{kAll} << (at & 63))) | static_cast<uint64>(rows) << (at & 63);
  }

  // Where an operand's values lie, in units of 8 bytes: those of a literal are the same for every row.
  struct Values {
    const uint64* at;
    int row, next;  // to the next row, to the second unit of a value
  };
  __device__ __forceinline__ Values values(const Operand& o) const {
    if (o.kind == Operand::literal)
      return {reinterpret_cast<const uint64*>(hot_ + p_.literals_at + o.index * 16), 0, 1};
    return {units_ + o.index * kRows * kRowThreads, kRowThreads, kRows * kRowThreads};
  }
  template <class T>
  __device__ __forceinline__ static T get(const Values& values, int k) {
    T value;
    const uint64* at = values.at + k * values.row;
    if constexpr (sizeof(T) == 4) {
      __builtin_memcpy(&value, at, sizeof value);
    } else {
      uint64 words[sizeof(T) / 8];
      words[0] = at[0];
      if constexpr (sizeof(T) > 8) words[1] = at[values.next];
      __builtin_memcpy(&value, words, sizeof value);
    }
    return value;
  }
  template <class T>
  __device__ __forceinline__ T get(const Operand& o, int k) const {
    return get<T>(values(o), k);
  }
  template <class T>
  __device__ __forceinline__ void set(const Operand& o, int k, const T& value) {
    uint64* at = units_ + (o.index * kRows + k) * kRowThreads;
    if constexpr (sizeof(T) == 4) {
      __builtin_memcpy(at, &value, sizeof value);
    } else {
      uint64 words[sizeof(T) / 8];
      __builtin_memcpy(words, &value, sizeof value);
      at[0] = words[0];
      if constexpr (sizeof(T) > 8) at[kRows * kRowThreads] = words[1];
    }
  }
  // A whole number in a register of `type`.
  template <class V>
  __device__ __forceinline__ void set_whole(Type type, const Operand& o, int k, V value) {
    if (type == Type::i32 || type == Type::row) set(o, k, static_cast<int32>(value));
    else if (type == Type::i64 || type == Type::u64) set(o, k, static_cast<int64>(value));
    else set(o, k, static_cast<int128>(value));
  }

  // --- columns ---

  // Values of a column as registers hold them; `place(k)` is the row to read, below 0 none.
  template <class E, class Place>
  __device__ __forceinline__ void read_as(const Instruction& i, const void* values, Place place) {
    const E* from = static_cast<const E*>(values);
    E raw[kRows];
    each([&](int k) { raw[k] = place(k) >= 0 ? from[place(k)] : E{}; });
    if constexpr (kIsFloat<E> || __is_same(E, RegisterView)) {
      each([&](int k) { set(i.dst, k, raw[k]); });
    } else if (sizeof(E) == 16 || i.type == Type::i128 || i.type == Type::u128) {
      each(
          [&](int k) { set_whole(i.type, i.dst, k, place(k) >= 0 ? static_cast<int128>(raw[k]) + i.imm : int128{0}); });
    } else if (i.type == Type::i32) {
      each(
          [&](int k) { set(i.dst, k, place(k) >= 0 ? static_cast<uint32>(raw[k]) + static_cast<uint32>(i.imm) : 0u); });
    } else {
      each([&](int k) {
        set(i.dst, k, place(k) >= 0 ? static_cast<uint64>(raw[k]) + static_cast<uint64>(i.imm) : uint64{0});
      });
    }
  }
  template <class Place>
  __device__ __forceinline__ void read(const Instruction& i, const void* values, Place place) {
    if (i.type == Type::view) return read_as<RegisterView>(i, values, place);
    if (i.type == Type::f32) return read_as<float>(i, values, place);
    if (i.type == Type::f64) return read_as<double>(i, values, place);
    switch (i.element) {
      case Element::i8: return read_as<int8>(i, values, place);
      case Element::u8: return read_as<uint8>(i, values, place);
      case Element::i16: return read_as<int16>(i, values, place);
      case Element::u16: return read_as<uint16>(i, values, place);
      case Element::i32: return read_as<int32>(i, values, place);
      case Element::u32: return read_as<uint32>(i, values, place);
      case Element::i64: return read_as<int64>(i, values, place);
      case Element::u64: return read_as<uint64>(i, values, place);
      default: return read_as<int128>(i, values, place);
    }
  }
  __device__ __forceinline__ void load(const Instruction& i) {
    read(i, column(i.a.index).values, [&](int k) { return exists_ >> k & 1 ? row(k) : int64{-1}; });
  }
  __device__ __forceinline__ void gather(const Instruction& i) {
    const RowSlot& slot = slot_of(i);
    int64 from[kRows];
    const Values numbers = values(i.a);
    each([&](int k) {
      const uint32 number = get<uint32>(numbers, k);
      from[k] = exists_ >> k & 1 && number < slot.size ? int64{number} : int64{-1};
    });
    if (i.type == Type::mask) {
      const auto* words = static_cast<const uint32*>(slot.data);
      return set_mask(i.dst, test([&](int k) { return from[k] >= 0 && bit(words, from[k]); }));
    }
    read(i, slot.data, [&](int k) { return from[k]; });
  }
  // `words` null: all bits are set.
  __device__ __forceinline__ void load_bits(const Instruction& i, const uint32* words) {
    set_mask(i.dst, test([&](int k) { return exists_ >> k & 1 && (!words || bit(words, row(k))); }));
  }

  __device__ __forceinline__ void convert(const Instruction& i) {
    if (i.type == Type::view) return each([&](int k) { set(i.dst, k, get<RegisterView>(i.a, k)); });
    with_type(i.from, [&](auto from) {
      with_type(i.type, [&](auto to) {
        each_slowly([&](int k) { set(i.dst, k, static_cast<decltype(to)>(get<decltype(from)>(i.a, k))); });
      });
    });
  }
  __device__ __forceinline__ void wrap(const Instruction& i) {
    each_slowly([&](int k) {
      int64 value = 0;  // the low bits are all that counts
      with_type(i.from, [&](auto from) {
        if constexpr (!kIsFloat<decltype(from)>) value = static_cast<int64>(get<decltype(from)>(i.a, k));
      });
      switch (i.element) {
        case Element::i8: value = static_cast<int8>(value); break;
        case Element::u8: value = static_cast<uint8>(value); break;
        case Element::i16: value = static_cast<int16>(value); break;
        case Element::u16: value = static_cast<uint16>(value); break;
        case Element::i32: value = static_cast<int32>(value); break;
        case Element::u32: value = static_cast<uint32>(value); break;
        default: break;
      }
      set_whole(i.type, i.dst, k, value);
    });
  }
  __device__ __forceinline__ void select(const Instruction& i) {
    const uint32 chosen = mask(i.c);
    auto move = [&](auto zero) {
      each([&](int k) { set(i.dst, k, get<decltype(zero)>(chosen >> k & 1 ? i.a : i.b, k)); });
    };
    switch (program::bytes_of(i.type)) {
      case 4: return move(uint32{});
      case 8: return move(uint64{});
      default: return move(uint128{});
    }
  }

  __device__ __forceinline__ void range(const Instruction& i) {
    uint32 inside = 0;
    const Values from = values(i.a);
    with_type(i.type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (kIsFloat<T>) {
        const T low = static_cast<T>(__longlong_as_double(i.imm)), high = static_cast<T>(__longlong_as_double(i.imm2));
        inside = test([&](int k) { return get<T>(from, k) >= low && get<T>(from, k) <= high; });
      } else if constexpr (sizeof(T) <= 8 && T(-1) < T(0)) {
        inside = test([&](int k) {
          const int64 value = get<T>(from, k);
          return value >= i.imm && value <= i.imm2;
        });
      } else {  // bounds are 64 bits wide, with a sign
        inside = test([&](int k) {
          const auto value = static_cast<int128>(get<T>(from, k));
          return value >= i.imm && value <= i.imm2;
        });
      }
    });
    set_mask(i.dst, exists_ & inside);
  }
  __device__ __forceinline__ void lookup(const Instruction& i) {
    const RowSlot& table = slot_of(i);
    const auto* truth = static_cast<const uint8*>(table.data);
    const Values codes = values(i.a);
    set_mask(i.dst, exists_ & test([&](int k) {
                      const uint32 code = get<uint32>(codes, k);  // of wider registers the low half
                      return code < table.size && truth[code];
                    }));
  }

  // --- functions ---

  __device__ __forceinline__ void raise(const Instruction& i, int k) {
    atomicMin(&p_.outcome->first_error, static_cast<unsigned long long>(row(k)) << 16 | static_cast<uint16>(i.imm2));
  }
  template <class F, class T>
  __device__ __forceinline__ bool apply(const Instruction& i, const Values (&from)[3], int k) {
    constexpr int n = F::info.arguments + F::info.parameters;
    const Computed<T> made =
        compute<F, T>(get<T>(from[0], k), n > 1 ? get<T>(from[1], k) : T{}, n > 2 ? get<T>(from[2], k) : T{});
    if constexpr (!F::info.to_mask) set(i.dst, k, made.value);
    return made.marked;
  }
  template <class F, class T>
  __device__ __forceinline__ void apply_all(const Instruction& i) {
    if constexpr ((F::info.kernels & plan::set_of(kTypeOf<T>)) != 0) {
      uint32 marked = 0;  // true, or bad
      const Values from[3] = {values(i.a), values(i.b), values(i.c)};
      each_slowly([&](int k) { marked |= static_cast<uint32>(apply<F, T>(i, from, k)) << k; });
      if constexpr (F::info.to_mask) {
        set_mask(i.dst, exists_ & marked);
      } else if (marked && i.imm == 1) {
        marked &= mask(i.entry);
        for (int k = 0; k < kRows; ++k) {
          if (marked >> k & 1) raise(i, k);
        }
      }
    }
  }
  template <class F>
  __device__ __forceinline__ void function(const Instruction& i) {
    if constexpr ((F::info.kernels & plan::kViews) != 0) {
      if (i.type == Type::view) return apply_all<F, RegisterView>(i);
    }
    with_type(i.type, [&](auto zero) { apply_all<F, decltype(zero)>(i); });
  }
  __device__ __forceinline__ void map(const Instruction& i) {
    switch (i.function) {
#define FZ_FUNCTION(number, name) \
  case number: return function<functions::name>(i);
#define FZ_PREDICATE(number, name) FZ_FUNCTION(number, name)
#include "device_functions.inc"
#undef FZ_FUNCTION
#undef FZ_PREDICATE
      default: return;
    }
  }

  // Memory for text, as it comes; beyond the end only the bytes wanted are counted, and the host tries again.
  __device__ __forceinline__ char* allocate(uint64 bytes) {
    const unsigned long long at =
        atomicAdd(&p_.outcome->text_bytes[p_.pass != RowProgram::emit], static_cast<unsigned long long>(bytes));
    return at + bytes <= p_.text_capacity ? p_.text + at : nullptr;
  }
  template <class Write>
  __device__ __forceinline__ RegisterView write_text(uint64 bytes, Write write) {
    char few[RegisterView::kInline];
    char* to = bytes > RegisterView::kInline ? allocate(bytes) : few;
    if (!to) return RegisterView{};
    if (bytes > 0) write(to);
    return program::view_of(to, static_cast<uint32>(bytes));
  }
  __device__ __forceinline__ Arguments arguments(const Instruction& i, int k) const {
    const int begin = list_begin(i.list);
    return {*this, &field_at(begin), list_begin(i.list + 1) - begin, k};
  }
  template <class F>
  __device__ __forceinline__ void view(const Instruction& i) {
    const uint32 wanted = mask(i.c);
    using T = decltype(F::apply(arguments(i, 0)));
    each_slowly([&](int k) { set(i.dst, k, wanted >> k & 1 ? F::apply(arguments(i, k)) : T{}); });
  }
  template <class F>
  __device__ __forceinline__ void string(const Instruction& i) {
    const uint32 wanted = mask(i.c);
    each_slowly([&](int k) {
      RegisterView made{};
      if (wanted >> k & 1) {
        const Arguments given = arguments(i, k);
        made = write_text(static_cast<uint64>(F::bytes(given)), [&](char* to) { F::write(given, to); });
      }
      set(i.dst, k, made);
    });
  }
  __device__ __forceinline__ void call(const Instruction& i) {
    switch (i.function) {
#define FZ_VIEW(number, name) \
  case number: return view<functions::name>(i);
#define FZ_STRING(number, name) \
  case number: return string<functions::name>(i);
#include "device_functions.inc"
#undef FZ_VIEW
#undef FZ_STRING
      default: return;
    }
  }

  // --- keys ---

  template <class Key, class One>
  __device__ __forceinline__ void add_field(const KeyField& field, Key (&keys)[kRows], One one) const {
    const uint32 valid = field.nullable ? mask(field.valid) : 0;
    each([&](int k) {
      Key packed = one(k);
      if (field.nullable) packed = valid >> k & 1 ? packed + 1 : 0;
      keys[k] |= packed << field.shift;
    });
  }
  template <class Key>
  __device__ __forceinline__ void pack_key(const Instruction& i) {
    Key keys[kRows] = {};
    for (int f = list_begin(i.list); f < list_begin(i.list + 1); ++f) {
      const KeyField& field = field_at(f);
      if (field.bits == 0) continue;
      if (field.type == Type::mask) {
        const uint32 truth = mask(field.value);
        add_field(field, keys, [&](int k) { return static_cast<Key>(truth >> k & 1); });
        continue;
      }
      const Values from = values(field.value);
      const Key base = static_cast<Key>(field.base);
      with_type(field.type, [&](auto zero) {
        using T = decltype(zero);
        add_field(field, keys, [&](int k) {
          if constexpr (kIsFloat<T>) return static_cast<Key>(ordered_bits(get<T>(from, k)));
          else return static_cast<Key>(get<T>(from, k)) - base;
        });
      });
    }
    each([&](int k) { set(i.dst, k, keys[k]); });
  }

  // A field as bytes: whether it is there, then 16 bytes of a number or the length and bytes of a text.
  __device__ __forceinline__ uint64 key_bytes(const KeyField& field, int k) const {
    if (!(mask(field.valid) >> k & 1)) return 1;
    return field.type == Type::view ? 5 + get<RegisterView>(field.value, k).length : 17;
  }
  __device__ __forceinline__ char* append_key(char* to, const KeyField& field, int k) const {
    const bool valid = mask(field.valid) >> k & 1;
    *to++ = static_cast<char>(valid);
    if (!valid) return to;
    if (field.type == Type::view) {
      const RegisterView text = get<RegisterView>(field.value, k);
      for (int b = 0; b < 4; ++b) *to++ = static_cast<char>(text.length >> (8 * b));
      return functions::append(to, text);
    }
    int128 number = 0;
    if (field.type == Type::mask) {
      number = mask(field.value) >> k & 1;
    } else {
      with_type(field.type, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (kIsFloat<T>) number = static_cast<int128>(ordered_bits(get<T>(field.value, k)));
        else number = static_cast<int128>(get<T>(field.value, k));
      });
    }
    for (int b = 0; b < 16; ++b) *to++ = static_cast<char>(number >> (8 * b));
    return to;
  }
  __device__ __forceinline__ void bytes_key(const Instruction& i) {
    const uint32 wanted = mask(i.c);
    const int begin = list_begin(i.list), end = list_begin(i.list + 1);
    each_slowly([&](int k) {
      RegisterView key{};
      if (wanted >> k & 1) {
        uint64 bytes = 0;
        for (int f = begin; f < end; ++f) bytes += key_bytes(field_at(f), k);
        key = write_text(bytes, [&](char* to) {
          for (int f = begin; f < end; ++f) to = append_key(to, field_at(f), k);
        });
      }
      set(i.dst, k, key);
    });
  }
  template <class F>
  __device__ __forceinline__ void with_key(const Instruction& i, F f) const {
    if (i.from == Type::u64) f(uint64{});
    else if (i.from == Type::u128) f(uint128{});
    else f(RegisterView{});
  }

  // All rows' first places are asked for before the first answer is waited for.
  __device__ __forceinline__ void probe(const Instruction& i) {
    const RowSlot& table = slot_of(i);
    const uint32 wanted = mask(i.c);
    uint32 found[kRows];
    const Values keys = values(i.a);
    if (table.dense) {
      each([&](int k) {
        const uint64 key = get<uint64>(keys, k);
        found[k] = wanted >> k & 1 && key < table.size ? table.state[key] : kNoPlace;
      });
      each([&](int k) { set(i.dst, k, found[k]); });
      return;
    }
    with_key(i, [&](auto zero) {
      using Key = decltype(zero);
      uint64 place[kRows];
      each([&](int k) {
        place[k] = wanted >> k & 1 ? hash_of(get<Key>(keys, k)) & (table.size - 1) : 0;
        found[k] = wanted >> k & 1 ? table.state[place[k]] : kNoPlace;
      });
      each_slowly([&](int k) { set(i.dst, k, follow(table, get<Key>(keys, k), place[k], found[k])); });
    });
  }

  // --- cells ---

  __device__ __forceinline__ void cell(const Instruction& i) {
    if (p_.pass == RowProgram::emit) return;  // they are full
    if (i.op == Op::cell_count) return add_to_cell<int64>(i, [](int) { return int64{1}; });
    with_type(i.type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (sizeof(T) > 4 || kIsFloat<T>) {
        with_type(i.from, [&](auto from) {
          add_to_cell<T>(i, [&](int k) { return static_cast<T>(get<decltype(from)>(i.a, k)); });
        });
      }
    });
  }
  // Without groups each warp has an accumulator of its own, so that floats add up in a fixed order. With groups, rows
  // of the warp that share one are combined first, while there are such.
  template <class T, class Value>
  __device__ __forceinline__ void add_to_cell(const Instruction& i, Value value) {
    const Combine<T> combine{i.op};
    T* cells = static_cast<T*>(slot_of(i).data);
    const uint32 mine = mask(i.c);
    if (!i.b) {
      T all = combine.neutral();
      each([&](int k) {
        if (mine >> k & 1) all = combine(all, value(k));
      });
      all = combined(all, combine);
      if ((threadIdx.x & 31) == 0) {
        T& cell = cells[(blockIdx.x * kRowThreads + threadIdx.x) >> 5];
        cell = combine(cell, all);
      }
      return;
    }
    each_slowly([&](int k) { add_to_group<T>(cells, get<uint32>(i.b, k), value(k), mine >> k & 1, combine); });
  }
  // Of all lanes, in a fixed order.
  template <class T>
  __device__ __forceinline__ static T combined(T all, Combine<T> combine) {
    for (int step = 16; step; step >>= 1) all = combine(all, shuffle(all, static_cast<int>(threadIdx.x & 31) ^ step));
    return all;
  }
  template <class T>
  __device__ __forceinline__ static void add_to_group(T* cells, uint32 group, T value, bool mine, Combine<T> combine) {
    const int lane = static_cast<int>(threadIdx.x & 31);
    for (uint32 rest = __ballot_sync(~0u, mine); rest;) {
      const int leader = __ffs(static_cast<int>(rest)) - 1;
      const uint32 shared_group = __shfl_sync(~0u, group, leader);
      const uint32 same = __ballot_sync(~0u, mine && group == shared_group);
      if (__popc(same) < 4) break;
      const bool joins = same >> lane & 1;
      const T all = combined(joins ? value : combine.neutral(), combine);
      if (lane == leader) combine_atomically(&cells[group], all, combine);
      if (joins) mine = false;
      rest &= ~same;
    }
    if (mine) combine_atomically(&cells[group], value, combine);
  }

  // --- ends ---

  __device__ __forceinline__ void count(const Instruction& i) const {
    const uint32 live = mask(i.c);
    each([&](int k) {
      const uint32 word = __ballot_sync(~0u, live >> k & 1);
      if ((threadIdx.x & 31) == 0 && first_ + 32 * k < p_.rows) p_.live[(first_ >> 5) + k] = word;
    });
  }
  __device__ __forceinline__ void count_rows(const Instruction& i) const {
    if (p_.pass == RowProgram::emit) return;
    const uint32 live = __reduce_add_sync(~0u, static_cast<uint32>(__popc(mask(i.c))));
    if ((threadIdx.x & 31) == 0) atomicAdd(&p_.outcome->node_rows[i.node], static_cast<unsigned long long>(live));
  }
  __device__ __forceinline__ void emit(const Instruction& i, int k, uint32 live_word) const {
    if (!(mask(i.c) >> k & 1)) return;
    const int64 number = row(k);
    const uint32 before = live_word & ((1u << (threadIdx.x & 31)) - 1);
    const int64 to = p_.offsets ? int64{p_.offsets[number >> 5]} + __popc(before) : number;
    void* out = p_.outputs[i.imm];
    if (i.op == Op::emit_rows) static_cast<uint32*>(out)[to] = static_cast<uint32>(number);
    else if (i.op == Op::emit_mask) static_cast<uint8*>(out)[to] = mask(i.a) >> k & 1;
    else if (program::bytes_of(i.type) == 4) static_cast<uint32*>(out)[to] = get<uint32>(i.a, k);
    else if (program::bytes_of(i.type) == 8) static_cast<uint64*>(out)[to] = get<uint64>(i.a, k);
    else static_cast<uint128*>(out)[to] = get<uint128>(i.a, k);
  }

  const RowProgram& p_;
  const char* hot_;
  uint64* units_;  // row k of unit u of this thread: (u * kRows + k) * kRowThreads
  uint64 low_masks_ = 0, high_masks_ = 0;
  int64 first_ = 0;
  uint32 exists_ = 0;  // rows that there are: in the source, live so far where the program was compacted
};

template <int kRows>
__global__ void __launch_bounds__(kRowThreads, 8) run_rows(const __grid_constant__ RowProgram program) {
  extern __shared__ __align__(16) char shared[];
  for (int at = threadIdx.x * 16; at < program.hot_bytes; at += kRowThreads * 16)
    *reinterpret_cast<uint4*>(shared + at) = *reinterpret_cast<const uint4*>(program.hot + at);
  __syncthreads();
  Rows<kRows> rows(program, shared);
  const int64 step = int64{gridDim.x} * kRowThreads * kRows;
  const int lane = static_cast<int>(threadIdx.x & 31);
  for (int64 first = (int64{blockIdx.x} * kRowThreads + threadIdx.x - lane) * kRows; first < program.rows;
       first += step) {
    uint32 exists = 0, words[kRows];
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      const bool inside = first + 32 * k < program.rows;
      words[k] = !inside ? 0 : program.pass == RowProgram::emit ? program.live[(first >> 5) + k] : ~0u;
      if (words[k] >> lane & 1 && first + 32 * k + lane < program.rows) exists |= 1u << k;
    }
    if (!__any_sync(~0u, exists)) continue;
    if (__any_sync(~0u, *static_cast<volatile uint32*>(&program.outcome->full))) return;  // all is done again
    rows.run(first, exists, words);
    __syncwarp();
  }
}

}  // namespace frazil::primitives::cuda
