// Batches that move to a file when memory runs short.
#include "execute/parking.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/error.hpp"

namespace frazil::execute {
namespace {

constexpr int64_t kRows = 10'000;
constexpr int64_t kBytes = kRows * 8 + 128;  // a little more than a column takes

class ParkingTest : public testing::Test {
 protected:
  ParkingTest() : pool_(memory::Pool::create(8 * kBytes)), parking_(std::make_shared<Parking>(pool_, "")) {}
  columns::Batch batch(int64_t first) {
    columns::Column column{.type = columns::simple(columns::TypeId::int64), .rows = kRows};
    column.physical = columns::Physical::w8;
    column.values = pool_->allocate(kRows * 8, "test");
    for (int64_t row = 0; row < kRows; ++row) column.values.mutable_as<int64_t>()[row] = first + row;
    return {kRows, {column}, first};
  }
  static void expect_rows(const columns::Batch& batch, int64_t first) {
    const int64_t* values = batch.columns[0].values.as<int64_t>() + batch.columns[0].offset;
    for (int64_t row = 0; row < batch.rows; ++row) ASSERT_EQ(values[row], first + row);
  }
  memory::PoolPtr pool_;
  std::shared_ptr<Parking> parking_;
};

TEST_F(ParkingTest, MoreBatchesThanMemoryHolds) {
  {
    std::vector<Parked> parked;
    for (int64_t b = 0; b < 40; ++b) parked.emplace_back(parking_, batch(b * kRows));
    EXPECT_GT(parking_->bytes_spilled(), 30 * kRows * 8);
    for (int64_t b = 0; b < 40; ++b) expect_rows(parked[static_cast<size_t>(b)].load(), b * kRows);
    EXPECT_EQ(rows_of(parked), 40 * kRows);
  }
  EXPECT_EQ(pool_->bytes_in_use(), 0);
}

TEST_F(ParkingTest, SlicesComeBackAsTheyWere) {
  std::vector<Parked> parked;
  const columns::Batch whole = batch(0);
  for (int64_t start : {0, 3, 64, 777}) parked.emplace_back(parking_, columns::slice(whole, start, 100));
  parking_->relieve(INT64_MAX);
  size_t p = 0;
  for (int64_t start : {0, 3, 64, 777}) expect_rows(parked[p++].load(), start);
  EXPECT_LT(parking_->bytes_spilled(), 4 * 110 * 8);
}

TEST_F(ParkingTest, WhatCannotMoveIsAnError) {
  const columns::Batch held = batch(0);
  EXPECT_THROW(pool_->allocate(8 * kBytes, "test"), Error);
}

TEST_F(ParkingTest, SeveralThreadsAtOnce) {
  {
    std::vector<std::jthread> threads;
    for (int64_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        std::vector<Parked> parked;
        for (int64_t b = 0; b < 30; ++b) {
          parked.emplace_back(parking_, batch((t * 30 + b) * kRows));
          expect_rows(parked[static_cast<size_t>(b / 2)].load(), (t * 30 + b / 2) * kRows);
        }
      });
    }
  }
  EXPECT_EQ(pool_->bytes_in_use(), 0);
}

TEST(SpillDirectory, HasToTakeFiles) {
  check_spill_directory(std::filesystem::temp_directory_path());
  EXPECT_THROW(check_spill_directory("/nowhere"), Error);
}

}  // namespace
}  // namespace frazil::execute
