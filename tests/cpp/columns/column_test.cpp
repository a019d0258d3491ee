#include "columns/column.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "memory/pool.hpp"

namespace frazil::columns {
namespace {

template <class T>
memory::Buffer buffer_of(const std::vector<T>& values) {
  memory::Buffer buffer = memory::Pool::create(0)->allocate(static_cast<int64_t>(values.size() * sizeof(T)), "test");
  std::copy(values.begin(), values.end(), buffer.mutable_as<T>());
  return buffer;
}

template <class T>
Column whole_numbers(TypeId id, const std::vector<T>& values) {
  Column column;
  column.type = simple(id);
  column.rows = static_cast<int64_t>(values.size());
  column.physical = plain_physical(column.type);
  column.values = buffer_of(values);
  return column;
}

TEST(Column, ASliceSharesItsBuffers) {
  Column column = whole_numbers<int32>(TypeId::int32, {1, 2, 3, 4, 5});
  Column part = slice(slice(column, 1, 4), 1, 2);
  EXPECT_EQ(part.values.as(), column.values.as());
  EXPECT_EQ(whole_at(part, 0), 3);
  EXPECT_EQ(whole_at(part, 1), 4);
  EXPECT_THROW(slice(column, 3, 3), Error);
  EXPECT_THROW(slice(column, -1, 1), Error);
}

TEST(Column, AnIntervalIsThatOfTheValidRows) {
  Column column = whole_numbers<int64>(TypeId::int64, {100, -5, 7, -200});
  EXPECT_EQ(measure_interval(column), (Interval{-200, 100}));
  column.validity = buffer_of<uint8>({0b0110});
  EXPECT_EQ(measure_interval(column), (Interval{-5, 7}));
  EXPECT_EQ(measure_interval(slice(column, 3, 1)), std::nullopt);
  EXPECT_EQ(measure_interval(slice(column, 0, 0)), std::nullopt);
}

TEST(Column, UnsignedValuesAreReadWithoutSign) {
  EXPECT_EQ(whole_at(whole_numbers<uint8>(TypeId::uint8, {255}), 0), 255);
  EXPECT_EQ(measure_interval(whole_numbers<uint64>(TypeId::uint64, {~uint64{0}})),
            (Interval{int128{~uint64{0}}, int128{~uint64{0}}}));
  EXPECT_EQ(measure_interval(whole_numbers<uint128>(TypeId::uint128, {~uint128{0}})), std::nullopt);
}

TEST(Column, ANarrowValueIsAboveItsBase) {
  Column column = whole_numbers<int8>(TypeId::int8, {-3, 4});
  column.type = decimal(15, 2);
  column.encoding = Encoding::narrow;
  column.base = 1000;
  EXPECT_EQ(whole_at(column, 0), 997);
  EXPECT_EQ(measure_interval(column), (Interval{997, 1004}));
}

TEST(Column, BytesAreThoseOfTheRows) {
  Column column = whole_numbers<int32>(TypeId::int32, {1, 2, 3, 4, 5});
  EXPECT_EQ(bytes_of(column), 20);
  EXPECT_EQ(bytes_of(slice(column, 1, 2)), 8);
  column.validity = buffer_of<uint8>({0xff});
  EXPECT_EQ(bytes_of(column), 21);
  column.encoding = Encoding::constant;
  EXPECT_EQ(bytes_of(column), 5);
}

TEST(DataType, ParametersTellTypesApart) {
  EXPECT_EQ(decimal(15, 2), decimal(15, 2));
  EXPECT_NE(decimal(15, 2), decimal(15, 3));
  EXPECT_NE(simple(TypeId::date), simple(TypeId::time));
  EXPECT_EQ(decimal(15, 2).name(), "Decimal(precision=15, scale=2)");
  EXPECT_EQ(plain_bytes(decimal(15, 2)), 16);
  EXPECT_EQ(plain_bytes(simple(TypeId::boolean)), 0);
}

}  // namespace
}  // namespace frazil::columns
