// The types that tile programs compute in, and the elements that they read from columns. Shared by all executors.
#pragma once

#include "base/target.hpp"

namespace frazil::program {

// What a register holds a row. Narrower columns are widened when they are loaded.
// clang-format off
enum class Type : uint8 {
  none,
  mask,  // one bit a row, packed
  i32, i64, u64, i128, u128,
  f32, f64,
  view,  // RegisterView
  row,   // 32-bit row or group number
};
// clang-format on
constexpr int kTypes = 11;

FZ_HD constexpr int bytes_of(Type type) {
  switch (type) {
    case Type::i32:
    case Type::f32:
    case Type::row: return 4;
    case Type::i64:
    case Type::u64:
    case Type::f64: return 8;
    case Type::i128:
    case Type::u128:
    case Type::view: return 16;
    case Type::none:
    case Type::mask: break;
  }
  return 0;
}
FZ_HD constexpr bool is_whole(Type type) { return type >= Type::i32 && type <= Type::u128; }
FZ_HD constexpr bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

// What a column holds a row.
enum class Element : uint8 { none, bits, i8, i16, i32, i64, i128, u8, u16, u32, u64, u128, f32, f64, view };

FZ_HD constexpr int bytes_of(Element element) {
  switch (element) {
    case Element::i8:
    case Element::u8: return 1;
    case Element::i16:
    case Element::u16: return 2;
    case Element::i32:
    case Element::u32:
    case Element::f32: return 4;
    case Element::i64:
    case Element::u64:
    case Element::f64: return 8;
    case Element::i128:
    case Element::u128:
    case Element::view: return 16;
    case Element::none:
    case Element::bits: break;
  }
  return 0;
}

// A string in a register: its own address, so that it can be compared and hashed without its column. Up to 12 bytes
// lie in `prefix` and `rest`; `address` is only read for longer ones.
struct RegisterView {
  uint32 length;
  char prefix[4];
  union {
    char rest[8];
    const char* address;
  };
  static constexpr uint32 kInline = 12;
  FZ_HD const char* data() const { return length <= kInline ? prefix : address; }
};
static_assert(sizeof(RegisterView) == 16);

// Text that lies at `data`, which must live on where it is longer than a view holds.
FZ_HD RegisterView view_of(const char* data, uint32 length) {
  RegisterView view{};
  view.length = length;
  for (uint32 i = 0; i < 4 && i < length; ++i) view.prefix[i] = data[i];
  if (length > RegisterView::kInline) {
    view.address = data;
  } else {
    for (uint32 i = 4; i < length; ++i) view.rest[i - 4] = data[i];
  }
  return view;
}

}  // namespace frazil::program
