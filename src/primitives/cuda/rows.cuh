// The row interpreter: a kernel that runs every tile program, a row a thread. Registers lie in shared memory, masks in
// one word a thread, a bit for each mask. All threads of a warp are at the same instruction, and a warp leaves the
// program when none of its rows is live.
#pragma once

#include "functions/function.hpp"
#include "primitives/cuda/table.cuh"
#include "primitives/ordered_bits.hpp"

namespace frazil::primitives::cuda {

constexpr int kRowThreads = 128;

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
    if (combine.op == Op::cell_min) atomicMin(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
    else atomicMax(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
  }
}

// One row of a program, as a thread sees it.
class Row {
 public:
  __device__ __forceinline__ Row(const RowProgram& program, const Instruction* code, uint64* units)
      : p_(program), code_(code), units_(units) {}

  __device__ __forceinline__ void run(int64 row, bool exists, uint32 live_word) {
    row_ = row;
    exists_ = exists;
    masks_ = 0;
    for (int at = 0; at < p_.steps; ++at) {
      const Instruction& i = code_[at];
      switch (i.op) {
        case Op::load: load(i); break;
        case Op::load_bits: set_mask(i.dst, exists_ && bit(static_cast<const uint32*>(p_.columns[i.a.index].values), row_)); break;
        case Op::load_valid: {
          const uint32* validity = p_.columns[i.a.index].validity;
          set_mask(i.dst, exists_ && (!validity || bit(validity, row_)));
          break;
        }
        case Op::map: map(i); break;
        case Op::call: call(i); break;
        case Op::convert: convert(i); break;
        case Op::wrap: wrap(i); break;
        case Op::select: select(i); break;
        case Op::mask_and: set_mask(i.dst, mask(i.a) && mask(i.b)); break;
        case Op::mask_or: set_mask(i.dst, mask(i.a) || mask(i.b)); break;
        case Op::mask_and_not: set_mask(i.dst, mask(i.a) && !mask(i.b)); break;
        case Op::mask_not: set_mask(i.dst, exists_ && !mask(i.a)); break;
        case Op::range: range(i); break;
        case Op::lookup: {
          const RowSlot& table = p_.slots[i.slot];
          uint64 code = ~uint64{0};
          with_type(i.type, [&](auto zero) {
            if constexpr (sizeof(zero) <= 8 && !kIsFloat<decltype(zero)>)
              code = static_cast<uint32>(get<decltype(zero)>(i.a));
          });
          set_mask(i.dst, exists_ && code < table.size && static_cast<const uint8*>(table.data)[code]);
          break;
        }
        case Op::filter: {
          const bool live = mask(i.a) && mask(i.b);
          set_mask(i.dst, live);
          if (!__any_sync(~0u, live)) return;
          break;
        }
        case Op::compact: break;  // dead rows cost nothing but their place in the warp
        case Op::pack_key:
          if (i.type == Type::u64) set(i.dst, packed<uint64>(i));
          else set(i.dst, packed<uint128>(i));
          break;
        case Op::bytes_key: bytes_key(i); break;
        case Op::group: {
          uint32 place = 0;
          if (mask(i.c)) with_key(i, [&](auto key) { place = find_group(p_.slots[i.slot], key, p_.outcome); });
          set(i.dst, place);
          break;
        }
        case Op::probe: {
          uint32 found = kNoPlace;
          if (mask(i.c)) with_key(i, [&](auto key) { found = find_row(p_.slots[i.slot], key); });
          set(i.dst, found);
          break;
        }
        case Op::matched: set_mask(i.dst, exists_ && get<uint32>(i.a) != kNoPlace); break;
        case Op::position: set(i.dst, static_cast<int64>(row_)); break;
        case Op::gather: gather(i); break;
        case Op::gather_valid: {
          const RowSlot& slot = p_.slots[i.slot];
          const uint32 from = get<uint32>(i.a);
          set_mask(i.dst, exists_ && from < slot.size && (!slot.state || bit(slot.state, from)));
          break;
        }
        case Op::cell_add:
        case Op::cell_min:
        case Op::cell_max:
        case Op::cell_count: cell(i); break;
        case Op::emit:
        case Op::emit_mask:
        case Op::emit_rows:
          if (p_.pass == RowProgram::count) {
            const uint32 word = __ballot_sync(~0u, mask(i.c));
            if ((threadIdx.x & 31) == 0) p_.live[row_ >> 5] = word;
            return;  // emits are the end of a program
          }
          if (mask(i.c)) emit(i, live_word);
          break;
        case Op::count_rows: {
          if (p_.pass == RowProgram::emit) break;
          const uint32 live = __ballot_sync(~0u, mask(i.c));
          if ((threadIdx.x & 31) == 0) atomicAdd(&p_.outcome->node_rows[i.node], static_cast<unsigned long long>(__popc(live)));
          break;
        }
      }
    }
  }

  // The arguments of a call, as functions of the shapes view and string read them.
  struct Arguments {
    const Row& row;
    const KeyField* begin;
    int count;
    __device__ __forceinline__ int size() const { return count; }
    __device__ __forceinline__ bool valid(int k) const { return row.mask(begin[k].valid); }
    __device__ __forceinline__ RegisterView text(int k) const { return row.get<RegisterView>(begin[k].value); }
    __device__ __forceinline__ int128 whole(int k) const {
      int128 value = 0;
      with_type(begin[k].type, [&](auto zero) {
        if constexpr (!kIsFloat<decltype(zero)>) value = static_cast<int128>(row.get<decltype(zero)>(begin[k].value));
      });
      return value;
    }
  };

 private:
  __device__ __forceinline__ static bool bit(const uint32* words, int64 at) { return words[at >> 5] >> (at & 31) & 1; }
  __device__ __forceinline__ bool mask(const Operand& o) const {
    return o.kind == Operand::none ? exists_ : masks_ >> o.index & 1;
  }
  __device__ __forceinline__ void set_mask(const Operand& o, bool value) {
    masks_ = (masks_ & ~(uint64{1} << o.index)) | static_cast<uint64>(value) << o.index;
  }

  template <class T>
  __device__ __forceinline__ T get(const Operand& o) const {
    T value;
    if (o.kind == Operand::literal) {
      __builtin_memcpy(&value, &p_.literals[o.index], sizeof value);
      return value;
    }
    const uint64* at = units_ + p_.place[o.index] * kRowThreads;
    uint64 words[sizeof(T) > 8 ? 2 : 1];
    words[0] = at[0];
    if constexpr (sizeof(T) > 8) words[1] = at[kRowThreads];
    __builtin_memcpy(&value, words, sizeof value);
    return value;
  }
  template <class T>
  __device__ __forceinline__ void set(const Operand& o, const T& value) {
    uint64 words[sizeof(T) > 8 ? 2 : 1] = {};
    __builtin_memcpy(words, &value, sizeof value);
    uint64* at = units_ + p_.place[o.index] * kRowThreads;
    at[0] = words[0];
    if constexpr (sizeof(T) > 8) at[kRowThreads] = words[1];
  }
  // A whole number in a register of `type`.
  template <class V>
  __device__ __forceinline__ void set_whole(Type type, const Operand& o, V value) {
    if (type == Type::i32 || type == Type::row) set(o, static_cast<int32>(value));
    else if (type == Type::i64 || type == Type::u64) set(o, static_cast<int64>(value));
    else set(o, static_cast<int128>(value));
  }

  // A value of a column as a register holds it.
  __device__ __forceinline__ void read(const Instruction& i, const void* values, int64 row, bool wanted) {
    if (i.type == Type::view) return set(i.dst, wanted ? static_cast<const RegisterView*>(values)[row] : RegisterView{});
    if (i.type == Type::f32) return set(i.dst, wanted ? static_cast<const float*>(values)[row] : 0.0f);
    if (i.type == Type::f64) return set(i.dst, wanted ? static_cast<const double*>(values)[row] : 0.0);
    int64 value = 0;
    if (wanted) {
      switch (i.element) {
        case Element::i8: value = static_cast<const int8*>(values)[row]; break;
        case Element::u8: value = static_cast<const uint8*>(values)[row]; break;
        case Element::i16: value = static_cast<const int16*>(values)[row]; break;
        case Element::u16: value = static_cast<const uint16*>(values)[row]; break;
        case Element::i32: value = static_cast<const int32*>(values)[row]; break;
        case Element::u32: value = static_cast<const uint32*>(values)[row]; break;
        case Element::i64: value = static_cast<const int64*>(values)[row]; break;
        case Element::u64:
          if (i.type == Type::i128 || i.type == Type::u128)
            return set(i.dst, static_cast<int128>(static_cast<const uint64*>(values)[row]) + i.imm);
          value = static_cast<const int64*>(values)[row];
          break;
        case Element::i128:
        case Element::u128: return set_whole(i.type, i.dst, static_cast<const int128*>(values)[row] + i.imm);
        default: break;
      }
      if (i.type == Type::i128) return set(i.dst, static_cast<int128>(value) + i.imm);
      value = static_cast<int64>(static_cast<uint64>(value) + static_cast<uint64>(i.imm));
    }
    set_whole(i.type, i.dst, value);
  }
  __device__ __forceinline__ void load(const Instruction& i) {
    const RowColumn& column = p_.columns[i.a.index];
    read(i, column.values, row_, exists_);
  }
  __device__ __forceinline__ void gather(const Instruction& i) {
    const RowSlot& slot = p_.slots[i.slot];
    const uint32 from = get<uint32>(i.a);
    const bool wanted = exists_ && from < slot.size;
    if (i.type == Type::mask) return set_mask(i.dst, wanted && bit(static_cast<const uint32*>(slot.data), from));
    read(i, slot.data, from, wanted && (i.type != Type::view || !slot.state || bit(slot.state, from)));
  }

  __device__ __forceinline__ void convert(const Instruction& i) {
    if (i.type == Type::view) return set(i.dst, get<RegisterView>(i.a));
    with_type(i.from, [&](auto from) {
      with_type(i.type, [&](auto to) { set(i.dst, static_cast<decltype(to)>(get<decltype(from)>(i.a))); });
    });
  }
  __device__ __forceinline__ void wrap(const Instruction& i) {
    int64 value = 0;  // the low bits are all that counts
    with_type(i.from, [&](auto from) {
      if constexpr (!kIsFloat<decltype(from)>) value = static_cast<int64>(get<decltype(from)>(i.a));
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
    set_whole(i.type, i.dst, value);
  }
  __device__ __forceinline__ void select(const Instruction& i) {
    const Operand& chosen = mask(i.c) ? i.a : i.b;
    if (i.type == Type::view) return set(i.dst, get<RegisterView>(chosen));
    with_type(i.type, [&](auto zero) { set(i.dst, get<decltype(zero)>(chosen)); });
  }

  __device__ __forceinline__ void range(const Instruction& i) {
    bool inside = false;
    with_type(i.type, [&](auto zero) {
      using T = decltype(zero);
      const T value = get<T>(i.a);
      if constexpr (kIsFloat<T>) {
        inside = value >= static_cast<T>(__longlong_as_double(i.imm)) && value <= static_cast<T>(__longlong_as_double(i.imm2));
      } else if constexpr (sizeof(T) <= 8 && T(-1) < T(0)) {
        inside = static_cast<int64>(value) >= i.imm && static_cast<int64>(value) <= i.imm2;
      } else {  // bounds are 64 bits wide, with a sign
        inside = static_cast<int128>(value) >= i.imm && static_cast<int128>(value) <= i.imm2;
      }
    });
    set_mask(i.dst, exists_ && inside);
  }

  // --- functions ---

  __device__ __noinline__ void raise(const Instruction& i) {
    atomicMin(&p_.outcome->first_error, static_cast<unsigned long long>(row_) << 16 | static_cast<uint16>(i.imm2));
  }
  template <class F, class T>
  __device__ __forceinline__ void apply(const Instruction& i) {
    if constexpr ((F::info.kernels & plan::set_of(kTypeOf<T>)) != 0) {
      constexpr int n = F::info.arguments + F::info.parameters;
      [[maybe_unused]] bool bad = false;
      const T a = get<T>(i.a);
      const T b = n > 1 ? get<T>(i.b) : T{};
      const T c = n > 2 ? get<T>(i.c) : T{};
      auto compute = [&] {
        if constexpr (n == 1 && F::info.may_fail) return F::apply(a, bad);
        else if constexpr (n == 1) return F::apply(a);
        else if constexpr (n == 2 && F::info.may_fail) return F::apply(a, b, bad);
        else if constexpr (n == 2) return F::apply(a, b);
        else if constexpr (F::info.may_fail) return F::apply(a, b, c, bad);
        else return F::apply(a, b, c);
      };
      if constexpr (F::info.to_mask) {
        set_mask(i.dst, exists_ && compute());
      } else {
        set(i.dst, static_cast<T>(compute()));
        if (bad && i.imm == 1 && mask(i.entry)) raise(i);
      }
    }
  }
  template <class F>
  __device__ __noinline__ void function(const Instruction& i) {
    if constexpr ((F::info.kernels & plan::kViews) != 0) {
      if (i.type == Type::view) return apply<F, RegisterView>(i);
    }
    with_type(i.type, [&](auto zero) { apply<F, decltype(zero)>(i); });
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
    const unsigned long long at = atomicAdd(&p_.outcome->text_bytes[p_.pass != RowProgram::emit], static_cast<unsigned long long>(bytes));
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
  __device__ __forceinline__ Arguments arguments(const Instruction& i) const {
    const int begin = p_.list_begin[i.list];
    return {*this, p_.fields + begin, p_.list_begin[i.list + 1] - begin};
  }
  template <class F>
  __device__ __noinline__ void view(const Instruction& i) {
    set(i.dst, mask(i.c) ? F::apply(arguments(i)) : RegisterView{});
  }
  template <class F>
  __device__ __noinline__ void string(const Instruction& i) {
    RegisterView made{};
    if (mask(i.c)) {
      const Arguments given = arguments(i);
      made = write_text(static_cast<uint64>(F::bytes(given)), [&](char* to) { F::write(given, to); });
    }
    set(i.dst, made);
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

  template <class Key>
  __device__ __forceinline__ Key packed(const Instruction& i) const {
    Key key = 0;
    for (int f = p_.list_begin[i.list]; f < p_.list_begin[i.list + 1]; ++f) {
      const KeyField& field = p_.fields[f];
      if (field.bits == 0) continue;
      Key one = 0;
      if (field.type == Type::mask) {
        one = mask(field.value);
      } else {
        with_type(field.type, [&](auto zero) {
          using T = decltype(zero);
          if constexpr (kIsFloat<T>) one = static_cast<Key>(ordered_bits(get<T>(field.value)));
          else one = static_cast<Key>(get<T>(field.value)) - static_cast<Key>(field.base);
        });
      }
      if (field.nullable) one = mask(field.valid) ? one + 1 : 0;
      key |= one << field.shift;
    }
    return key;
  }

  // A field as bytes: whether it is there, then 16 bytes of a number or the length and bytes of a text.
  __device__ __forceinline__ uint64 key_bytes(const KeyField& field) const {
    if (!mask(field.valid)) return 1;
    return field.type == Type::view ? 5 + get<RegisterView>(field.value).length : 17;
  }
  __device__ __forceinline__ char* append_key(char* to, const KeyField& field) const {
    const bool valid = mask(field.valid);
    *to++ = static_cast<char>(valid);
    if (!valid) return to;
    if (field.type == Type::view) {
      const RegisterView text = get<RegisterView>(field.value);
      for (int b = 0; b < 4; ++b) *to++ = static_cast<char>(text.length >> (8 * b));
      return functions::append(to, text);
    }
    int128 number = 0;
    if (field.type == Type::mask) number = mask(field.value);
    else {
      with_type(field.type, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (kIsFloat<T>) number = static_cast<int128>(ordered_bits(get<T>(field.value)));
        else number = static_cast<int128>(get<T>(field.value));
      });
    }
    for (int b = 0; b < 16; ++b) *to++ = static_cast<char>(number >> (8 * b));
    return to;
  }
  __device__ __noinline__ void bytes_key(const Instruction& i) {
    RegisterView key{};
    if (mask(i.c)) {
      const int begin = p_.list_begin[i.list], end = p_.list_begin[i.list + 1];
      uint64 bytes = 0;
      for (int f = begin; f < end; ++f) bytes += key_bytes(p_.fields[f]);
      key = write_text(bytes, [&](char* to) {
        for (int f = begin; f < end; ++f) to = append_key(to, p_.fields[f]);
      });
    }
    set(i.dst, key);
  }
  template <class F>
  __device__ __forceinline__ void with_key(const Instruction& i, F f) const {
    if (i.from == Type::u64) f(get<uint64>(i.a));
    else if (i.from == Type::u128) f(get<uint128>(i.a));
    else f(get<RegisterView>(i.a));
  }

  // --- cells ---

  __device__ __noinline__ void cell(const Instruction& i) {
    const bool mine = mask(i.c);
    if (i.op == Op::cell_count) return add_to_cell<int64>(i, 1, mine);
    with_type(i.type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (sizeof(T) > 4 || kIsFloat<T>) {
        T value{};
        with_type(i.from, [&](auto from) { value = static_cast<T>(get<decltype(from)>(i.a)); });
        add_to_cell<T>(i, value, mine);
      }
    });
  }
  // Without groups each warp has an accumulator of its own, so that floats add up in a fixed order. With groups, rows of
  // the warp that share one are combined first, while there are such.
  template <class T>
  __device__ __forceinline__ void add_to_cell(const Instruction& i, T value, bool mine) {
    const Combine<T> combine{i.op};
    T* cells = static_cast<T*>(p_.slots[i.slot].data);
    const int lane = static_cast<int>(threadIdx.x & 31);
    if (!i.b) {
      T all = mine ? value : combine.neutral();
      for (int step = 16; step; step >>= 1) all = combine(all, shuffle(all, lane ^ step));
      if (lane == 0) {
        T& cell = cells[(blockIdx.x * kRowThreads + threadIdx.x) >> 5];
        cell = combine(cell, all);
      }
      return;
    }
    const uint32 group = get<uint32>(i.b);
    for (uint32 rest = __ballot_sync(~0u, mine); rest;) {
      const int leader = __ffs(static_cast<int>(rest)) - 1;
      const uint32 same = __ballot_sync(~0u, mine && group == __shfl_sync(~0u, group, leader));
      if (__popc(same) < 4) break;
      T all = same >> lane & 1 ? value : combine.neutral();
      for (int step = 16; step; step >>= 1) all = combine(all, shuffle(all, lane ^ step));
      if (lane == leader) combine_atomically(&cells[group], all, combine);
      if (same >> lane & 1) mine = false;
      rest &= ~same;
    }
    if (mine) combine_atomically(&cells[group], value, combine);
  }

  __device__ __forceinline__ void emit(const Instruction& i, uint32 live_word) const {
    const uint32 before = live_word & ((1u << (threadIdx.x & 31)) - 1);
    const int64 to = p_.offsets ? int64{p_.offsets[row_ >> 5]} + __popc(before) : row_;
    void* out = p_.outputs[i.imm];
    if (i.op == Op::emit_rows) static_cast<uint32*>(out)[to] = static_cast<uint32>(row_);
    else if (i.op == Op::emit_mask) static_cast<uint8*>(out)[to] = mask(i.a);
    else if (program::bytes_of(i.type) == 4) static_cast<uint32*>(out)[to] = get<uint32>(i.a);
    else if (program::bytes_of(i.type) == 8) static_cast<uint64*>(out)[to] = get<uint64>(i.a);
    else static_cast<uint128*>(out)[to] = get<uint128>(i.a);
  }

  const RowProgram& p_;
  const Instruction* code_;
  uint64* units_;  // unit u of this thread: u * kRowThreads
  uint64 masks_ = 0;
  int64 row_ = 0;
  bool exists_ = false;  // and, in the pass that emits, known to be live
};

__global__ void __launch_bounds__(kRowThreads) run_rows(const __grid_constant__ RowProgram program) {
  extern __shared__ __align__(16) char shared[];
  auto* code = reinterpret_cast<Instruction*>(shared);
  const int code_words = program.steps * static_cast<int>(sizeof(Instruction) / 4);
  for (int w = threadIdx.x; w < code_words; w += kRowThreads)
    reinterpret_cast<uint32*>(code)[w] = reinterpret_cast<const uint32*>(program.code)[w];
  __syncthreads();
  Row row(program, code, reinterpret_cast<uint64*>(shared + (code_words * 4 + 15) / 16 * 16) + threadIdx.x);
  const int64 warps = int64{gridDim.x} * kRowThreads / 32;
  const int lane = static_cast<int>(threadIdx.x & 31);
  for (int64 word = (int64{blockIdx.x} * kRowThreads + threadIdx.x) >> 5; word * 32 < program.rows; word += warps) {
    const int64 number = word * 32 + lane;
    bool exists = number < program.rows;
    uint32 live = ~0u;
    if (program.pass == RowProgram::emit && program.live) {
      live = program.live[word];
      exists = live >> lane & 1;
    }
    if (live == 0) continue;
    if (__any_sync(~0u, *static_cast<volatile uint32*>(&program.outcome->full))) return;  // all is done again
    row.run(number, exists, live);
    __syncwarp();
  }
}

}  // namespace frazil::primitives::cuda
