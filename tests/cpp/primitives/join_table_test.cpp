// Tables of joins, built by several threads.
#include "primitives/cpu/join_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

namespace frazil::primitives::cpu {
namespace {

void by_four(int64 tasks, const std::function<void(int64)>& work) {
  std::atomic<int64> next{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int64 task = next++; task < tasks; task = next++) work(task);
    });
  }
}

class JoinTables : public testing::Test {
 protected:
  // `range` 0: by hash. Each key's rows, in order, or its only row.
  void check(const std::vector<uint64>& keys, uint64 range, const std::vector<uint64>& valid = {}) {
    JoinTable<uint64> table(pool_, "test");
    table.build(keys, valid.empty() ? nullptr : valid.data(), range, true, by_four);
    std::vector<std::vector<uint32>> rows_of(1 + *std::max_element(keys.begin(), keys.end()));
    bool unique = true;
    for (uint32 row = 0; row < keys.size(); ++row) {
      if (!valid.empty() && !(valid[row >> 6] >> (row & 63) & 1)) continue;
      unique &= rows_of[keys[row]].empty();
      rows_of[keys[row]].push_back(row);
    }
    ASSERT_EQ(table.unique(), unique);
    ASSERT_EQ(table.dense(), range > 0);
    for (uint64 key = 0; key < rows_of.size(); ++key) {
      const uint32 found = table.find(key, hash_of(key));
      if (rows_of[key].empty()) {
        ASSERT_EQ(found, kNoRow);
      } else if (unique) {
        ASSERT_EQ(found, rows_of[key][0]);
      } else {
        const std::vector<uint32> rows(table.rows().begin() + table.start()[found],
                                       table.rows().begin() + table.start()[found + 1]);
        ASSERT_EQ(rows, rows_of[key]);
      }
    }
  }
  memory::PoolPtr pool_ = memory::Pool::create(0);
};

TEST_F(JoinTables, UniqueKeys) {
  std::vector<uint64> keys(300'000);
  for (uint64 row = 0; row < keys.size(); ++row) keys[row] = row * 7 % keys.size();
  check(keys, 0);
  check(keys, keys.size());
  EXPECT_EQ(pool_->bytes_in_use(), 0);
}

TEST_F(JoinTables, RunsOfEqualKeysKeepTheOrderOfRows) {
  std::vector<uint64> keys(300'000);
  for (uint64 row = 0; row < keys.size(); ++row) keys[row] = row * row % 1013;
  check(keys, 0);
  check(keys, 1013);
  std::fill(keys.begin(), keys.end(), 3);
  check(keys, 0);
}

TEST_F(JoinTables, RowsWithoutKeysAreNotFound) {
  std::vector<uint64> keys(200'000), valid(keys.size() / 64 + 1, 0x5555555555555555ull);
  std::iota(keys.begin(), keys.end(), 0);
  check(keys, 0, valid);
  for (uint64& key : keys) key /= 5;
  check(keys, keys.size(), valid);
}

TEST_F(JoinTables, OneRowStandsForAll) {
  const std::vector<uint64> keys(100'000, 5);
  JoinTable<uint64> table(pool_, "test");
  table.build(keys, nullptr, 0, false, by_four);
  EXPECT_TRUE(table.unique());
  EXPECT_LT(table.find(5, hash_of(uint64{5})), keys.size());
  EXPECT_EQ(table.find(6, hash_of(uint64{6})), kNoRow);
}

TEST_F(JoinTables, DenseKeysOfWhichMostAreMissing) {
  std::vector<uint64> keys(100'000);
  for (uint64 row = 0; row < keys.size(); ++row) keys[row] = row * 7 % keys.size() * 20;
  check(keys, keys.size() * 20);
  for (uint64& key : keys) key = key / 60 * 60;
  check(keys, keys.size() * 20);
}

TEST_F(JoinTables, DenseKeysWithoutRows) {
  std::vector<uint64> keys(100'000), valid(keys.size() / 64 + 1, 0x5555555555555555ull);
  for (uint64 row = 0; row < keys.size(); ++row) keys[row] = row / 2 * 2 % 70'001;
  JoinTable<uint64> table(pool_, "test");
  table.build(keys, valid.data(), 80'000, false, by_four);
  EXPECT_TRUE(table.unique());
  std::vector<bool> is_there(90'000);
  for (uint64 row = 0; row < keys.size(); row += 2) is_there[keys[row]] = true;
  for (uint64 key = 0; key < is_there.size(); ++key) EXPECT_EQ(table.find(key, 0) != kNoRow, is_there[key]) << key;
}

TEST_F(JoinTables, NoRows) {
  JoinTable<uint64> table(pool_, "test");
  table.build({}, nullptr, 0, true, by_four);
  EXPECT_TRUE(table.unique());
  EXPECT_EQ(table.find(1, hash_of(uint64{1})), kNoRow);
}

}  // namespace
}  // namespace frazil::primitives::cpu
