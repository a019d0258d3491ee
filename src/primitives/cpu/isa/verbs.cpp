// The simple verbs of tile programs as plain loops. Compiled once per instruction set, each in a namespace of its own
// (FZ_ISA), with nothing from std, so that no function of a newer instruction set can leak into a shared copy.
#include "primitives/cpu/tile.hpp"
#include "primitives/cpu/verb_table.hpp"

namespace frazil::primitives::cpu::FZ_ISA {
namespace {

using program::Op;
using program::RegisterView;

template <Type>
struct Of;
// clang-format off
template <> struct Of<Type::i32> { using T = int32; };
template <> struct Of<Type::i64> { using T = int64; };
template <> struct Of<Type::u64> { using T = uint64; };
template <> struct Of<Type::i128> { using T = int128; };
template <> struct Of<Type::u128> { using T = uint128; };
template <> struct Of<Type::f32> { using T = float; };
template <> struct Of<Type::f64> { using T = double; };
template <> struct Of<Type::row> { using T = uint32; };
// clang-format on

// --- loads -----------------------------------------------------------------------------------------------------------

// A column's value in a register; floats have no base, and adding none would make 0.0 of -0.0.
template <class E, class T>
inline T loaded(E value, T base) {
  if constexpr (static_cast<E>(0.5) != 0) return value;
  return static_cast<T>(value) + base;
}

template <class E, class T>
void load(Tile& tile, const Instruction& i) {
  const BoundColumn& column = tile.columns[i.a.index];
  const T base = static_cast<T>(i.imm);
  ++tile.tiles_loaded;
  if (column.constant) {
    T value = loaded<E, T>(*static_cast<const E*>(column.values), base);
    T* to = result_of<T>(tile, i.dst);
    for (int k = 0; k < tile.rows; ++k) to[k] = value;
    return;
  }
  const E* from = static_cast<const E*>(column.values) + tile.base;
  if (tile.selection) {
    T* to = result_of<T>(tile, i.dst);
    for (int k = 0; k < tile.rows; ++k) to[k] = loaded<E, T>(from[tile.selection[k]], base);
    return;
  }
  if constexpr (__is_same(E, T)) {
    if (base == 0) {  // nothing to change: the register lies in the column
      tile.registers[i.dst.index] = const_cast<E*>(from);
      return;
    }
  }
  T* to = result_of<T>(tile, i.dst);
  for (int k = 0; k < tile.rows; ++k) to[k] = loaded<E, T>(from[k], base);
}

template <class T>
Step load_as(Element element) {
  switch (element) {
    case Element::i8: return load<int8, T>;
    case Element::i16: return load<int16, T>;
    case Element::i32: return load<int32, T>;
    case Element::i64: return load<int64, T>;
    case Element::i128: return load<int128, T>;
    case Element::u8: return load<uint8, T>;
    case Element::u16: return load<uint16, T>;
    case Element::u32: return load<uint32, T>;
    case Element::u64: return load<uint64, T>;
    case Element::u128: return load<uint128, T>;
    default: return nullptr;
  }
}

void load_packed(Tile& tile, const uint8* bits, int64 first, uint64* to) {
  for (int w = 0; w < words_of(tile); ++w) {
    if (tile.selection) {
      uint64 word = 0;
      for (int k = 0; k < 64 && w * 64 + k < tile.rows; ++k) {
        int64 bit = first + tile.selection[w * 64 + k];
        word |= static_cast<uint64>(bits[bit >> 3] >> (bit & 7) & 1) << k;
      }
      to[w] = word;
      continue;
    }
    // Bytes one by one at the end: a foreign bitmap has no padding behind it.
    const int64 bit = first + w * 64;
    const int count = tile.rows - w * 64 < 64 ? tile.rows - w * 64 : 64;
    const uint8* at = bits + (bit >> 3);
    const int shift = static_cast<int>(bit & 7);
    const int bytes = (shift + count + 7) >> 3;  // 1 to 9
    uint64 word = 0;
    if (bytes >= 8) {
      __builtin_memcpy(&word, at, 8);
    } else {
      for (int b = 0; b < bytes; ++b) word |= static_cast<uint64>(at[b]) << (8 * b);
    }
    word >>= shift;
    if (bytes == 9) word |= static_cast<uint64>(at[8]) << (64 - shift);
    to[w] = word & tail_word(tile, w);
  }
}

void fill_packed(Tile& tile, bool value, uint64* to) {
  for (int w = 0; w < words_of(tile); ++w) to[w] = value ? tail_word(tile, w) : 0;
}

void load_bits(Tile& tile, const Instruction& i) {
  const BoundColumn& column = tile.columns[i.a.index];
  ++tile.tiles_loaded;
  uint64* to = result_of<uint64>(tile, i.dst);
  if (column.constant) {
    fill_packed(tile, column.bits[column.bit_offset >> 3] >> (column.bit_offset & 7) & 1, to);
  } else {
    load_packed(tile, column.bits, column.bit_offset + tile.base, to);
  }
}

void load_valid(Tile& tile, const Instruction& i) {
  const BoundColumn& column = tile.columns[i.a.index];
  uint64* to = result_of<uint64>(tile, i.dst);
  if (!column.validity) {
    fill_packed(tile, true, to);
  } else if (column.constant) {
    fill_packed(tile, column.validity[column.bit_offset >> 3] >> (column.bit_offset & 7) & 1, to);
  } else {
    load_packed(tile, column.validity, column.bit_offset + tile.base, to);
  }
}

// --- conversions -----------------------------------------------------------------------------------------------------

template <class F, class T>
void convert(Tile& tile, const Instruction& i) {
  T* to = result_of<T>(tile, i.dst);
  if (i.a.kind == Operand::literal) {
    T value = static_cast<T>(*values_of<F>(tile, i.a));
    for (int k = 0; k < tile.rows; ++k) to[k] = value;
    return;
  }
  const F* from = values_of<F>(tile, i.a);
  for (int k = 0; k < tile.rows; ++k) to[k] = static_cast<T>(from[k]);
}

template <class F>
Step convert_from(Type type) {
  switch (type) {
    case Type::i32: return convert<F, int32>;
    case Type::i64: return convert<F, int64>;
    case Type::u64: return convert<F, uint64>;
    case Type::i128: return convert<F, int128>;
    case Type::u128: return convert<F, uint128>;
    case Type::f32: return convert<F, float>;
    case Type::f64: return convert<F, double>;
    case Type::row: return convert<F, uint32>;
    default: return nullptr;
  }
}

Step convert_step(Type from, Type type) {
  switch (from) {
    case Type::i32: return convert_from<int32>(type);
    case Type::i64: return convert_from<int64>(type);
    case Type::u64: return convert_from<uint64>(type);
    case Type::i128: return convert_from<int128>(type);
    case Type::u128: return convert_from<uint128>(type);
    case Type::f32: return convert_from<float>(type);
    case Type::f64: return convert_from<double>(type);
    case Type::row: return convert_from<uint32>(type);
    default: return nullptr;
  }
}

template <class F, class E, class T>
void wrap(Tile& tile, const Instruction& i) {
  const F* from = values_of<F>(tile, i.a);
  T* to = result_of<T>(tile, i.dst);
  for (int k = 0; k < tile.rows; ++k) to[k] = static_cast<T>(static_cast<E>(from[k]));
}

template <class F, class T>
Step wrap_to(Element element) {
  switch (element) {
    case Element::i8: return wrap<F, int8, T>;
    case Element::i16: return wrap<F, int16, T>;
    case Element::i32: return wrap<F, int32, T>;
    case Element::i64: return wrap<F, int64, T>;
    case Element::u8: return wrap<F, uint8, T>;
    case Element::u16: return wrap<F, uint16, T>;
    case Element::u32: return wrap<F, uint32, T>;
    case Element::u64: return wrap<F, uint64, T>;
    default: return nullptr;
  }
}

template <class F>
Step wrap_from(Type type, Element element) {
  if (type == Type::i32) return wrap_to<F, int32>(element);
  if (type == Type::i64) return wrap_to<F, int64>(element);
  if (type == Type::u64) return wrap_to<F, uint64>(element);
  return nullptr;
}

Step wrap_step(Type from, Type type, Element element) {
  if (from == Type::i32) return wrap_from<int32>(type, element);
  if (from == Type::i64) return wrap_from<int64>(type, element);
  if (from == Type::u64) return wrap_from<uint64>(type, element);
  if (from == Type::i128) return wrap_from<int128>(type, element);
  return nullptr;
}

template <class T>
void select(Tile& tile, const Instruction& i) {
  const T* yes = values_of<T>(tile, i.a);
  const T* no = values_of<T>(tile, i.b);
  const int yes_step = i.a.kind != Operand::literal, no_step = i.b.kind != Operand::literal;
  T* to = result_of<T>(tile, i.dst);
  for (int w = 0; w < words_of(tile); ++w) {
    const uint64 chosen = mask_word(tile, i.c, w);
    const int end = tile.rows - w * 64 < 64 ? tile.rows - w * 64 : 64;
    for (int k = 0; k < end; ++k) {
      const int row = w * 64 + k;
      to[row] = chosen >> k & 1 ? yes[row * yes_step] : no[row * no_step];
    }
  }
}

// --- masks -----------------------------------------------------------------------------------------------------------

template <class F>
void each_word(Tile& tile, const Instruction& i, F f) {
  uint64* to = result_of<uint64>(tile, i.dst);
  for (int w = 0; w < words_of(tile); ++w)
    to[w] = f(mask_word(tile, i.a, w), mask_word(tile, i.b, w)) & tail_word(tile, w);
}
void mask_and(Tile& tile, const Instruction& i) {
  each_word(tile, i, [](uint64 a, uint64 b) { return a & b; });
}
void mask_or(Tile& tile, const Instruction& i) {
  each_word(tile, i, [](uint64 a, uint64 b) { return a | b; });
}
void mask_and_not(Tile& tile, const Instruction& i) {
  each_word(tile, i, [](uint64 a, uint64 b) { return a & ~b; });
}
void mask_not(Tile& tile, const Instruction& i) {
  each_word(tile, i, [](uint64 a, uint64) { return ~a; });
}

void filter(Tile& tile, const Instruction& i) {
  uint64 any = 0;
  each_word(tile, i, [&](uint64 a, uint64 b) {
    any |= a & b;
    return a & b;
  });
  tile.dead = any == 0;
}

template <class T>
void test_range(Tile& tile, const Instruction& i, T low, T high) {
  uint64* to = result_of<uint64>(tile, i.dst);
  const T* from = values_of<T>(tile, i.a);
  alignas(64) uint8 truth[64] = {};
  for (int w = 0; w < words_of(tile); ++w) {
    // A register that lies in a column ends where the column ends.
    const int end = tile.rows - w * 64 < 64 ? tile.rows - w * 64 : 64;
    if (end == 64) {
      for (int k = 0; k < 64; ++k) truth[k] = (from[w * 64 + k] >= low) & (from[w * 64 + k] <= high);
    } else {
      for (int k = 0; k < end; ++k) truth[k] = (from[w * 64 + k] >= low) & (from[w * 64 + k] <= high);
    }
    to[w] = pack_bytes(truth) & tail_word(tile, w);
  }
}

template <class T>
void range(Tile& tile, const Instruction& i) {
  // Bounds outside the type would not compare as they are.
  const int128 least = static_cast<T>(-1) > T(0) ? 0 : sizeof(T) == 4 ? -(int128(1) << 31) : -(int128(1) << 63);
  const int128 most = sizeof(T) == 4 ? (int128(1) << 31) - 1 : (int128(1) << 63) - 1;
  if (i.imm > most || i.imm2 < least) return fill_packed(tile, false, result_of<uint64>(tile, i.dst));
  test_range<T>(tile, i, static_cast<T>(i.imm < least ? least : int128(i.imm)),
                static_cast<T>(i.imm2 > most ? most : int128(i.imm2)));
}

template <class T>
void range_real(Tile& tile, const Instruction& i) {
  test_range<T>(tile, i, static_cast<T>(__builtin_bit_cast(double, i.imm)),
                static_cast<T>(__builtin_bit_cast(double, i.imm2)));
}

template <class T>
void lookup(Tile& tile, const Instruction& i) {
  const LookupTable table = *static_cast<const LookupTable*>(tile.slots[i.slot]);
  const T* codes = values_of<T>(tile, i.a);
  uint64* to = result_of<uint64>(tile, i.dst);
  for (int w = 0; w < words_of(tile); ++w) {
    uint64 word = 0;
    const int end = tile.rows - w * 64 < 64 ? tile.rows - w * 64 : 64;
    for (int k = 0; k < end; ++k) {
      const uint32 code = static_cast<uint32>(codes[w * 64 + k]);
      word |= static_cast<uint64>(code < table.size && table.truth[code]) << k;
    }
    to[w] = word;
  }
}

// --- compact ---------------------------------------------------------------------------------------------------------

template <class T>
void repack(Tile& tile, int reg, const uint32* rows, int count) {
  const T* from = static_cast<const T*>(tile.registers[reg]);
  T* to = static_cast<T*>(tile.own[reg]);
  for (int k = 0; k < count; ++k) to[k] = from[rows[k]];
  tile.registers[reg] = to;
}

void repack_mask(Tile& tile, int reg, const uint32* rows, int count) {
  const uint64* from = static_cast<const uint64*>(tile.registers[reg]);
  uint64 to[kTileWords] = {};
  for (int k = 0; k < count; ++k) to[k >> 6] |= (from[rows[k] >> 6] >> (rows[k] & 63) & 1) << (k & 63);
  __builtin_memcpy(tile.own[reg], to, sizeof to);
  tile.registers[reg] = tile.own[reg];
}

// Below a quarter of live rows the rest of the program works on dead rows mostly, so the live ones move together.
void compact(Tile& tile, const Instruction& i) {
  int live = 0;
  for (int w = 0; w < words_of(tile); ++w) live += __builtin_popcountll(mask_word(tile, i.a, w));
  if (live * 4 >= tile.rows) return;
  uint32 rows[kTileRows];
  int count = 0;
  each_row(tile, i.a, [&](int row) { rows[count++] = static_cast<uint32>(row); });
  for (uint64 carried = static_cast<uint64>(i.imm); carried; carried &= carried - 1) {
    const int reg = __builtin_ctzll(carried);
    const Type type = tile.types[reg];
    if (type == Type::mask) {
      repack_mask(tile, reg, rows, count);
    } else if (program::bytes_of(type) == 4) {
      repack<uint32>(tile, reg, rows, count);
    } else if (program::bytes_of(type) == 8) {
      repack<uint64>(tile, reg, rows, count);
    } else {
      repack<uint128>(tile, reg, rows, count);
    }
  }
  for (int k = 0; k < count; ++k) tile.selection_own[k] = tile.selection ? tile.selection[rows[k]] : rows[k];
  tile.selection = tile.selection_own;
  tile.rows = count;
}

// --- cells -----------------------------------------------------------------------------------------------------------

template <class F, class T, class Combine>
void grouped(Tile& tile, const Instruction& i, Combine combine) {
  CellArray& cells = *static_cast<CellArray*>(tile.slots[i.slot]);
  T* data = static_cast<T*>(cells.data);
  const uint32* group = values_of<uint32>(tile, i.b);
  const F* from = values_of<F>(tile, i.a);
  if (cells.copies == 1) {
    each_row(tile, i.c, [&](int k) { combine(data[group[k]], static_cast<T>(from[k])); });
  } else {
    const int64 stride = cells.capacity;
    each_row(tile, i.c, [&](int k) { combine(data[(k & 3) * stride + group[k]], static_cast<T>(from[k])); });
  }
}

// One group: rows that are not live add nothing, so the loop has no branch.
template <class F, class T>
void add_all(Tile& tile, const Instruction& i) {
  T* data = static_cast<T*>(static_cast<CellArray*>(tile.slots[i.slot])->data);
  const F* from = values_of<F>(tile, i.a);
  T sum = 0;
  for (int w = 0; w < words_of(tile); ++w) {
    const uint64 word = mask_word(tile, i.c, w);
    if (word == ~0ull) {
      for (int k = 0; k < 64; ++k) sum += static_cast<T>(from[w * 64 + k]);
    } else {
      for (uint64 rest = word; rest; rest &= rest - 1) sum += static_cast<T>(from[w * 64 + __builtin_ctzll(rest)]);
    }
  }
  *data += sum;
}

template <class F, class T>
void cell_add(Tile& tile, const Instruction& i) {
  if (i.a.kind == Operand::literal) {
    CellArray& cells = *static_cast<CellArray*>(tile.slots[i.slot]);
    const T value = static_cast<T>(*values_of<F>(tile, i.a));
    const uint32* group = i.b ? values_of<uint32>(tile, i.b) : nullptr;
    each_row(tile, i.c, [&](int k) { static_cast<T*>(cells.data)[group ? group[k] : 0] += value; });
  } else if (i.b) {
    grouped<F, T>(tile, i, [](T& cell, T value) { cell += value; });
  } else {
    add_all<F, T>(tile, i);
  }
}

// Polars orders NaN above all numbers but takes it for min and max only where nothing else is there.
template <class T>
FZ_HD bool is_nan(T value) {
  return value != value;
}

template <class F, class T, bool kMin>
void cell_extreme(Tile& tile, const Instruction& i) {
  auto combine = [](T& cell, T value) {
    if (is_nan(cell) || (kMin ? value < cell : value > cell)) cell = value;
  };
  if (i.b) return grouped<F, T>(tile, i, combine);
  T* data = static_cast<T*>(static_cast<CellArray*>(tile.slots[i.slot])->data);
  const F* from = values_of<F>(tile, i.a);
  T best = *data;
  each_row(tile, i.c, [&](int k) { combine(best, static_cast<T>(from[k])); });
  *data = best;
}

void cell_count(Tile& tile, const Instruction& i) {
  CellArray& cells = *static_cast<CellArray*>(tile.slots[i.slot]);
  int64* data = static_cast<int64*>(cells.data);
  if (!i.b) {
    int64 count = 0;
    for (int w = 0; w < words_of(tile); ++w) count += __builtin_popcountll(mask_word(tile, i.c, w));
    *data += count;
    return;
  }
  const uint32* group = values_of<uint32>(tile, i.b);
  const int64 stride = cells.copies == 1 ? 0 : cells.capacity;
  each_row(tile, i.c, [&](int k) { ++data[(k & 3) * stride + group[k]]; });
}

template <template <class, class> class F>
Step by_types(Type from, Type type) {
  if (type == Type::i64) {
    if (from == Type::i32) return F<int32, int64>::run;
    if (from == Type::i64) return F<int64, int64>::run;
    if (from == Type::u64) return F<uint64, int64>::run;
    if (from == Type::i128) return F<int128, int64>::run;
  } else if (type == Type::u64) {
    if (from == Type::u64) return F<uint64, uint64>::run;
  } else if (type == Type::i128) {
    if (from == Type::i32) return F<int32, int128>::run;
    if (from == Type::i64) return F<int64, int128>::run;
    if (from == Type::u64) return F<uint64, int128>::run;
    if (from == Type::i128) return F<int128, int128>::run;
  } else if (type == Type::f64) {
    if (from == Type::f32) return F<float, double>::run;
    if (from == Type::f64) return F<double, double>::run;
    if (from == Type::i32) return F<int32, double>::run;
    if (from == Type::i64) return F<int64, double>::run;
    if (from == Type::i128) return F<int128, double>::run;
  } else if (type == Type::f32) {
    if (from == Type::f32) return F<float, float>::run;
  }
  return nullptr;
}
template <class F, class T>
struct Add {
  static void run(Tile& tile, const Instruction& i) { cell_add<F, T>(tile, i); }
};
template <class F>
struct Add<F, int128> {  // sums that may not fit wrap
  static void run(Tile& tile, const Instruction& i) { cell_add<F, uint128>(tile, i); }
};
template <class F, class T>
struct Min {
  static void run(Tile& tile, const Instruction& i) { cell_extreme<F, T, true>(tile, i); }
};
template <class F, class T>
struct Max {
  static void run(Tile& tile, const Instruction& i) { cell_extreme<F, T, false>(tile, i); }
};

template <template <Type> class F>
Step by_type(Type type) {
  switch (type) {
    case Type::i32: return F<Type::i32>::run;
    case Type::i64: return F<Type::i64>::run;
    case Type::u64: return F<Type::u64>::run;
    case Type::i128: return F<Type::i128>::run;
    case Type::u128: return F<Type::u128>::run;
    case Type::f32: return F<Type::f32>::run;
    case Type::f64: return F<Type::f64>::run;
    default: return nullptr;
  }
}
template <Type t>
struct Select {
  static void run(Tile& tile, const Instruction& i) { select<typename Of<t>::T>(tile, i); }
};

}  // namespace

Step verb(const Instruction& i) {
  switch (i.op) {
    case Op::load:
      switch (i.type) {
        case Type::i32: return load_as<int32>(i.element);
        case Type::i64: return load_as<int64>(i.element);
        case Type::u64: return load_as<uint64>(i.element);
        case Type::i128: return load_as<int128>(i.element);
        case Type::u128: return load_as<uint128>(i.element);
        case Type::f32: return load<float, float>;
        case Type::f64: return load<double, double>;
        default: return nullptr;
      }
    case Op::load_bits: return load_bits;
    case Op::load_valid: return load_valid;
    case Op::convert: return convert_step(i.from, i.type);
    case Op::wrap: return wrap_step(i.from, i.type, i.element);
    case Op::select: return i.type == Type::view ? select<RegisterView> : by_type<Select>(i.type);
    case Op::mask_and: return mask_and;
    case Op::mask_or: return mask_or;
    case Op::mask_and_not: return mask_and_not;
    case Op::mask_not: return mask_not;
    case Op::range:
      switch (i.type) {
        case Type::i32: return range<int32>;
        case Type::i64: return range<int64>;
        case Type::u64: return range<uint64>;
        case Type::i128: return range<int128>;
        case Type::f32: return range_real<float>;
        case Type::f64: return range_real<double>;
        default: return nullptr;
      }
    case Op::lookup: return i.type == Type::i32 ? lookup<int32> : i.type == Type::i64 ? lookup<int64> : nullptr;
    case Op::filter: return filter;
    case Op::compact: return compact;
    case Op::cell_add: return by_types<Add>(i.from, i.type);
    case Op::cell_min: return by_types<Min>(i.from, i.type);
    case Op::cell_max: return by_types<Max>(i.from, i.type);
    case Op::cell_count: return cell_count;
    default: return nullptr;
  }
}

}  // namespace frazil::primitives::cpu::FZ_ISA
