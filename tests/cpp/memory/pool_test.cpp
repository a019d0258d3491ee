#include "memory/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace frazil::memory {
namespace {

TEST(Pool, AllocationsAreAlignedAndChargedUntilTheLastBufferGoes) {
  PoolPtr pool = Pool::create(0);
  Buffer first = pool->allocate(100, "test");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.as()) % kAlignment, 0u);
  EXPECT_GE(pool->bytes_in_use(), 100 + kPadding);
  Buffer part = first.slice(10, 20);
  first = {};
  EXPECT_GT(pool->bytes_in_use(), 0);
  part = {};
  EXPECT_EQ(pool->bytes_in_use(), 0);
}

TEST(Pool, ZeroedBuffersAreZeroWithTheirPadding) {
  PoolPtr pool = Pool::create(0);
  Buffer buffer = pool->allocate_zeroed(77, "test");
  for (int64_t i = 0; i < 77 + kPadding; ++i) EXPECT_EQ(buffer.as<uint8_t>()[i], 0);
}

TEST(Pool, TheLimitHoldsAndTheMessageNamesWhoAsked) {
  PoolPtr pool = Pool::create(1000);
  Buffer kept = pool->allocate(500, "test");
  int64_t used = pool->bytes_in_use();
  try {
    pool->allocate(500, "the hash table of a join");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("the hash table of a join"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("memory_limit"), std::string::npos);
  }
  EXPECT_EQ(pool->bytes_in_use(), used);
  kept = {};
  EXPECT_NO_THROW(pool->allocate(500, "test"));
}

TEST(Pool, ThePeakIsTheMostThatWasInUse) {
  PoolPtr pool = Pool::create(0);
  Buffer big = pool->allocate(10000, "test");
  int64_t most = pool->bytes_in_use();
  big = {};
  Buffer small = pool->allocate(10, "test");
  EXPECT_EQ(pool->bytes_peak(), most);
  pool->reset_peak();
  EXPECT_EQ(pool->bytes_peak(), pool->bytes_in_use());
}

TEST(Pool, BuffersOutliveTheOwnersOfTheirPool) {
  PoolPtr pool = Pool::create(0);
  std::weak_ptr<Pool> watched = pool;
  Buffer buffer = pool->allocate(10, "test");
  pool.reset();
  EXPECT_FALSE(watched.expired());
  buffer = {};
  EXPECT_TRUE(watched.expired());
}

TEST(Reservation, GrowsShrinksMovesAndGivesBack) {
  PoolPtr pool = Pool::create(1000);
  {
    Reservation first(pool, "test");
    first.resize(600);
    EXPECT_EQ(pool->bytes_in_use(), 600);
    EXPECT_THROW(first.resize(1001), Error);
    EXPECT_EQ(first.bytes(), 600);
    first.resize(100);
    EXPECT_EQ(pool->bytes_in_use(), 100);
    Reservation second = std::move(first);
    EXPECT_EQ(second.bytes(), 100);
    EXPECT_EQ(pool->bytes_in_use(), 100);
  }
  EXPECT_EQ(pool->bytes_in_use(), 0);
}

TEST(Buffer, ForeignMemoryIsReleasedOnceAfterItsLastPart) {
  int released = 0;
  const std::string text = "foreign";
  {
    Buffer whole = Buffer::foreign(text.data(), 7, [&] { ++released; });
    Buffer part = whole.slice(3, 4);
    whole = {};
    EXPECT_EQ(released, 0);
    EXPECT_EQ(*part.as<char>(), 'e');
  }
  EXPECT_EQ(released, 1);
}

TEST(Pool, FreedBlocksComeBackToWhoAsksForAsMuch) {
#ifndef __SANITIZE_ADDRESS__
  PoolPtr pool = Pool::create(0);
  Buffer first = pool->allocate(100'000, "test");
  const void* place = first.as();
  first = {};
  EXPECT_EQ(pool->bytes_in_use(), 0);
  EXPECT_EQ(pool->allocate(100'010, "test").as(), place);
#endif
}

TEST(Blocks, SizesHoldWhatIsAskedForAndLittleMore) {
  for (int64_t bytes = 1; bytes < 40 << 20; bytes += 1 + bytes / 77) {
    const int64_t size = Blocks::size_of(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_LE(size, bytes + std::max<int64_t>(bytes / 4, 64)) << bytes;
    EXPECT_EQ(size % kAlignment, 0);
    EXPECT_EQ(Blocks::size_of(size), size);
    Blocks blocks;  // every size has its place among those that are kept
    blocks.give(blocks.take(size), size);
    EXPECT_LE(blocks.bytes_kept(), size);
  }
}

TEST(Blocks, WhatIsKeptHasAnEnd) {
  Blocks blocks;
  std::vector<void*> taken;
  for (int i = 0; i < 200; ++i) taken.push_back(blocks.take(1 << 20));
  for (void* block : taken) blocks.give(block, 1 << 20);
  EXPECT_LE(blocks.bytes_kept(), 64 << 20);
  blocks.release();
  EXPECT_EQ(blocks.bytes_kept(), 0);
}

TEST(Pool, WhatIsKeptCountsAgainstTheLimit) {
  PoolPtr pool = Pool::create(3 << 20);
  Buffer first = pool->allocate(1 << 20, "test");
  first = {};
  EXPECT_NO_THROW(pool->allocate((5 << 20) / 2, "test"));
}

}  // namespace
}  // namespace frazil::memory
