// Numbers that tell values apart, over the encodings that columns may have. Plain columns are tested against Polars.
#include "primitives/distinct.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace frazil::primitives {
namespace {

using columns::Column;
using columns::Encoding;
using columns::Physical;
using columns::TypeId;

memory::PoolPtr test_pool() {
  static memory::PoolPtr pool = memory::Pool::create(0);
  return pool;
}

template <class T>
Column array_of(TypeId id, Physical physical, const std::vector<T>& values) {
  Column column{.type = columns::simple(id), .rows = static_cast<int64_t>(values.size()), .physical = physical};
  column.values = test_pool()->allocate(static_cast<int64_t>(values.size() * sizeof(T)), "test");
  std::copy(values.begin(), values.end(), column.values.mutable_as<T>());
  return column;
}

std::vector<uint32_t> numbers_of(const Column& column, const std::vector<uint32_t>& rows) {
  const NumberedValues values = number_values(column, rows, test_pool());
  std::vector<uint32_t> numbers(values.begin(), values.begin() + rows.size());
  for (uint32_t number : numbers) EXPECT_LT(number, values.count);
  return numbers;
}

// Row by row, whether the value is that of the first row.
std::vector<bool> like_first(const std::vector<uint32_t>& numbers) {
  std::vector<bool> same;
  for (uint32_t number : numbers) same.push_back(number == numbers[0]);
  return same;
}

TEST(Distinct, ZerosAreOneValueAndSoAreNans) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Column column = array_of<double>(TypeId::float64, Physical::w8, {0.0, -0.0, nan, -nan, 1.0});
  const std::vector<uint32_t> numbers = numbers_of(column, {0, 1, 2, 3, 4});
  EXPECT_EQ(numbers[0], numbers[1]);
  EXPECT_EQ(numbers[2], numbers[3]);
  EXPECT_NE(numbers[0], numbers[2]);
  EXPECT_NE(numbers[0], numbers[4]);
}

TEST(Distinct, NullIsZeroAndSlicesKeepTheirPlace) {
  Column column = array_of<int32>(TypeId::int32, Physical::w4, {9, 7, 8, 7, 7});
  column.validity = test_pool()->allocate_zeroed(1, "test");
  column.validity.mutable_as<uint8>()[0] = 0b10111;  // row 3 is null
  const Column sliced = columns::slice(column, 1, 4);
  const std::vector<uint32_t> numbers = numbers_of(sliced, {0, 1, 2, 3});
  EXPECT_EQ(numbers[2], 0u);
  EXPECT_EQ(like_first(numbers), (std::vector<bool>{true, false, false, true}));
}

TEST(Distinct, RowsMayRepeatAndBeLeftOut) {
  const Column column = array_of<int128>(TypeId::int128, Physical::w16, {1, int128{1} << 100, 1, 5});
  EXPECT_EQ(like_first(numbers_of(column, {2, 1, 0, 2})), (std::vector<bool>{true, false, true, true}));
  EXPECT_TRUE(numbers_of(column, {}).empty());
}

TEST(Distinct, ConstantsAndNarrowNumbersAndBits) {
  Column constant = array_of<int64>(TypeId::int64, Physical::w8, {42});
  constant.encoding = Encoding::constant;
  constant.rows = 1000;
  EXPECT_EQ(like_first(numbers_of(constant, {0, 999})), (std::vector<bool>{true, true}));
  Column narrow = array_of<int8>(TypeId::int64, Physical::w1, {-128, 127, -128});
  narrow.encoding = Encoding::narrow;
  narrow.base = 1'000'000;
  EXPECT_EQ(like_first(numbers_of(narrow, {0, 1, 2})), (std::vector<bool>{true, false, true}));
  Column truths = array_of<uint8>(TypeId::boolean, Physical::bits, {0b101});
  truths.rows = 3;
  EXPECT_EQ(like_first(numbers_of(truths, {0, 1, 2})), (std::vector<bool>{true, false, true}));
}

}  // namespace
}  // namespace frazil::primitives
