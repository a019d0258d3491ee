#include "operators/group_by/cells.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace frazil::operators {

using lower::CellKind;
using program::Type;

CellColumn::CellColumn(const CellPlan& plan, int copies, memory::PoolPtr pool)
    : kind_(plan.kind), type_(plan.type), pool_(std::move(pool)) {
  array_.copies = copies;
}

template <class F>
void CellColumn::with_type(F f) const {
  switch (type_) {
    case Type::i64: f(int64{}); break;
    case Type::u64: f(uint64{}); break;
    case Type::i128: f(int128{}); break;
    case Type::f32: f(float{}); break;
    case Type::f64: f(double{}); break;
    default: FZ_CHECK(false);
  }
}

// What an accumulator holds before its first row.
template <class T>
void CellColumn::fill(int64_t from, int64_t to) {
  T neutral{};
  if (kind_ == CellKind::min || kind_ == CellKind::max) {
    if constexpr (std::is_floating_point_v<T>) {
      neutral = std::numeric_limits<T>::quiet_NaN();
    } else {
      const T most =
          static_cast<T>(~T{0}) < T{0} ? static_cast<T>(~(T{1} << (sizeof(T) * 8 - 1))) : static_cast<T>(~T{0});
      neutral = kind_ == CellKind::min ? most : static_cast<T>(~most);
    }
  }
  std::fill(static_cast<T*>(array_.data) + from, static_cast<T*>(array_.data) + to, neutral);
}

void CellColumn::grow(int64_t groups) {
  if (groups <= array_.capacity) return;
  const int64_t capacity = array_.copies > 1 ? groups : std::max<int64_t>(groups, array_.capacity * 2);
  with_type([&](auto zero) {
    using T = decltype(zero);
    memory::Buffer larger = pool_->allocate(capacity * array_.copies * static_cast<int64_t>(sizeof(T)), "group_by");
    const int64_t kept = array_.capacity;  // several copies never grow after their first rows
    if (kept > 0) std::memcpy(larger.mutable_as(), buffer_.as(), static_cast<size_t>(kept) * sizeof(T));
    buffer_ = larger;
    array_.data = buffer_.mutable_as();
    array_.capacity = capacity;
    fill<T>(kept, capacity * array_.copies);
  });
}

namespace {

template <class T>
void combine_one(CellKind kind, T& to, T from) {
  switch (kind) {
    case CellKind::min:
      if (to != to || from < to) to = from;
      break;
    case CellKind::max:
      if (to != to || from > to) to = from;
      break;
    case CellKind::add:
    case CellKind::count:
    case CellKind::count_all:
    case CellKind::magnitude:
    case CellKind::rounded:
      if constexpr (std::is_same_v<T, int64>) {
        to = static_cast<int64>(static_cast<uint64>(to) + static_cast<uint64>(from));
      } else if constexpr (std::is_same_v<T, int128>) {
        to = static_cast<int128>(static_cast<uint128>(to) + static_cast<uint128>(from));
      } else {
        to += from;
      }
  }
}

}  // namespace

void CellColumn::fold_copies() {
  with_type([&](auto zero) {
    using T = decltype(zero);
    T* data = static_cast<T*>(array_.data);
    for (int copy = 1; copy < array_.copies; ++copy) {
      for (int64_t g = 0; g < array_.capacity; ++g) combine_one(kind_, data[g], data[copy * array_.capacity + g]);
    }
  });
  array_.copies = 1;
}

void CellColumn::combine(const CellColumn& other, std::span<const uint32_t> groups, std::span<const uint32_t> places) {
  with_type([&](auto zero) {
    using T = decltype(zero);
    T* to = static_cast<T*>(array_.data);
    const T* from = static_cast<const T*>(other.array_.data);
    for (size_t i = 0; i < groups.size(); ++i) combine_one(kind_, to[places[i]], from[groups[i]]);
  });
}

columns::Column CellColumn::layout(Type cell, int64_t rows, const columns::DataType& type) {
  columns::Column column;
  column.type = type;
  column.rows = rows;
  column.physical = program::bytes_of(cell) == 16  ? columns::Physical::w16
                    : program::bytes_of(cell) == 8 ? columns::Physical::w8
                                                   : columns::Physical::w4;
  return column;
}

columns::Column CellColumn::column(int64_t rows, const std::vector<uint32_t>* groups,
                                   const columns::DataType& type) const {
  columns::Column column = layout(type_, rows, type);
  with_type([&](auto zero) {
    using T = decltype(zero);
    column.values = pool_->allocate(rows * static_cast<int64_t>(sizeof(T)), "group_by");
    const T* data = static_cast<const T*>(array_.data);
    T* to = column.values.mutable_as<T>();
    for (int64_t row = 0; row < rows; ++row) to[row] = data[groups ? (*groups)[static_cast<size_t>(row)] : row];
  });
  return column;
}

}  // namespace frazil::operators
