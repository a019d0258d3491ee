// How `apply` of a map function becomes a loop over a tile on the CPU. Compiled once per instruction set, so nothing
// here is visible to the linker.
#pragma once

#include "plan/signature.hpp"
#include "primitives/cpu/tile.hpp"

namespace frazil::functions {

using primitives::cpu::Tile;
using program::Instruction;
using program::Operand;
using program::Type;

namespace {

template <Type>
struct Native;
// clang-format off
template <> struct Native<Type::i32> { using T = int32; };
template <> struct Native<Type::i64> { using T = int64; };
template <> struct Native<Type::u64> { using T = uint64; };
template <> struct Native<Type::i128> { using T = int128; };
template <> struct Native<Type::f32> { using T = float; };
template <> struct Native<Type::f64> { using T = double; };
template <> struct Native<Type::view> { using T = program::RegisterView; };
// clang-format on

// One argument: a literal is the same value in every row.
template <class T, bool kLiteral>
struct Argument {
  const T* at;
  T value;
  FZ_HD Argument(const Tile& tile, const Operand& operand)
      : at(primitives::cpu::values_of<T>(tile, operand)), value(kLiteral ? *at : T{}) {}
  FZ_HD T operator[](int row) const {
    if constexpr (kLiteral) return value;
    return at[row];
  }
};

template <int kValue>
struct Constant {
  FZ_HD constexpr operator int() const { return kValue; }
};

// Rows are worked on in blocks of 64: their truth or failure becomes one word.
template <class F>
FZ_HD void each_block(const Tile& tile, F f) {
  for (int w = 0, words = primitives::cpu::words_of(tile); w < words; ++w) {
    f(w, tile.rows - w * 64 < 64 ? tile.rows - w * 64 : 64);
  }
}

FZ_HD void report(Tile& tile, const Instruction& i, int word, uint64 bad) {
  if (bad == 0 || tile.error.row >= 0) return;
  const int row = word * 64 + __builtin_ctzll(bad);
  tile.error = {tile.ordinal + primitives::cpu::batch_row(tile, row), static_cast<uint16>(i.imm2), i.node};
}

// `call(row, bad)` computes one row.
template <class F, class T, class Call>
FZ_HD void run_rows(Tile& tile, const Instruction& i, Call call) {
  alignas(64) uint8 truth[64] = {};
  if constexpr (F::info.to_mask) {
    uint64* to = primitives::cpu::result_of<uint64>(tile, i.dst);
    each_block(tile, [&](int w, int rows) {
      bool bad = false;
      for (int k = 0; k < rows; ++k) truth[k] = call(w * 64 + k, bad);
      to[w] = primitives::cpu::pack_bytes(truth) & primitives::cpu::tail_word(tile, w);
    });
  } else if constexpr (F::info.may_fail) {
    T* to = primitives::cpu::result_of<T>(tile, i.dst);
    each_block(tile, [&](int w, int rows) {
      uint8 any = 0;
      for (int k = 0; k < rows; ++k) {
        bool bad = false;
        to[w * 64 + k] = call(w * 64 + k, bad);
        truth[k] = bad;
        any |= bad;
      }
      // Where the result is known to fit, only null rows can fail, and they may hold anything.
      if (any && i.imm == 1)
        report(tile, i, w, primitives::cpu::pack_bytes(truth) & primitives::cpu::mask_word(tile, i.entry, w));
    });
  } else {
    T* to = primitives::cpu::result_of<T>(tile, i.dst);
    bool bad = false;
    for (int k = 0; k < tile.rows; ++k) to[k] = call(k, bad);
  }
}

template <class F, Type t, bool kA, bool kB>
void run_map(Tile& tile, const Instruction& i) {
  using T = typename Native<t>::T;
  constexpr int n = F::info.arguments + F::info.parameters;
  const Argument<T, kA> a(tile, i.a);
  if constexpr (n == 1) {
    run_rows<F, T>(tile, i, [&](int row, [[maybe_unused]] bool& bad) {
      if constexpr (F::info.may_fail) return F::apply(a[row], bad);
      else return F::apply(a[row]);
    });
  } else if constexpr (n == 2) {
    const Argument<T, kB> b(tile, i.b);
    run_rows<F, T>(tile, i, [&](int row, [[maybe_unused]] bool& bad) {
      if constexpr (F::info.may_fail) return F::apply(a[row], b[row], bad);
      else return F::apply(a[row], b[row]);
    });
  } else {
    // The third argument of the functions that have one is a parameter: always a literal.
    const Argument<T, kB> b(tile, i.b);
    const T c = Argument<T, true>(tile, i.c).value;
    const auto rows_with = [&](const auto& parameter) {
      run_rows<F, T>(tile, i, [&](int row, [[maybe_unused]] bool& bad) {
        if constexpr (F::info.may_fail) return F::apply(a[row], b[row], static_cast<T>(parameter), bad);
        else return F::apply(a[row], b[row], static_cast<T>(parameter));
      });
    };
    constexpr int usual = F::info.usual_parameter;
    if constexpr (usual != 0) {
      if (c == static_cast<T>(usual)) return rows_with(Constant<usual>());
    }
    rows_with(c);
  }
}

template <class F, Type t>
primitives::cpu::Step map_step(const Instruction& i) {
  if constexpr ((F::info.kernels & plan::set_of(t)) != 0) {
    const bool a = i.a.kind == Operand::literal, b = i.b.kind == Operand::literal;
    if constexpr (F::info.arguments + F::info.parameters == 1)
      return a ? run_map<F, t, true, false> : run_map<F, t, false, false>;
    if (a) return b ? run_map<F, t, true, true> : run_map<F, t, true, false>;
    return b ? run_map<F, t, false, true> : run_map<F, t, false, false>;
  }
  return nullptr;
}

template <class F>
primitives::cpu::Step map_step(const Instruction& i) {
  switch (i.type) {
    case Type::i32: return map_step<F, Type::i32>(i);
    case Type::i64: return map_step<F, Type::i64>(i);
    case Type::u64: return map_step<F, Type::u64>(i);
    case Type::i128: return map_step<F, Type::i128>(i);
    case Type::f32: return map_step<F, Type::f32>(i);
    case Type::f64: return map_step<F, Type::f64>(i);
    case Type::view: return map_step<F, Type::view>(i);
    default: return nullptr;
  }
}

}  // namespace
}  // namespace frazil::functions
