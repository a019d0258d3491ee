// Files that are cut or changed: they are read to their end or give an error, and never more than that.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "formats/parquet/decode.hpp"
#include "formats/parquet/scan.hpp"
#include "formats/parquet_samples.hpp"

namespace frazil::formats {
namespace {

using columns::Column;
using Bytes = std::vector<uint8_t>;

// A file that is written anew for each reading.
class Scratch {
 public:
  Scratch() : path_(std::filesystem::temp_directory_path() / ("frazil_damage_" + std::to_string(::getpid()))) {}
  ~Scratch() { std::filesystem::remove(path_); }
  const std::string& write(const Bytes& bytes) {
    std::filesystem::remove(path_);
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    if (!bytes.empty()) std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
    return path_;
  }

 private:
  std::string path_;
};

void serial(int64_t tasks, const std::function<void(int64_t)>& work) {
  for (int64_t task = 0; task < tasks; ++task) work(task);
}

// Looks at every value, so that a sanitizer sees what would be read behind an end.
int64_t touch(const Column& column) {
  int64_t sum = 0;
  for (int64_t row = 0; row < column.rows; ++row) {
    if (!column.is_valid(row)) continue;
    if (column.type.is_string_like()) {
      for (char c : columns::text_at(column, row)) sum += c;
    } else if (column.type.is_whole_number()) {
      sum += static_cast<int64_t>(columns::whole_at(column, row) & 0xff);
    }
  }
  return sum;
}

// All flat columns that can be read.
int64_t read_all(const std::string& path) {
  const ScanFile file = open_file(path);
  columns::Schema fields;
  for (const Leaf& leaf : file.metadata->leaves) {
    if (leaf.type && find_problems(*file.metadata, {{leaf.name, *leaf.type}}).empty())
      fields.push_back({leaf.name, *leaf.type});
  }
  std::vector<RowGroupPlace> groups;
  for (size_t group = 0; group < file.metadata->row_groups.size(); ++group) {
    if (file.metadata->row_groups[group].rows > 0) groups.push_back({0, static_cast<int>(group)});
  }
  const memory::PoolPtr pool = memory::Pool::create(int64_t{1} << 30);
  int64_t sum = 0;
  {
    const Scan scan({file}, fields, groups, pool, serial);
    for (int64_t group = 0; group < scan.groups(); ++group) {
      for (const Column& column : scan.read(group, [] {})) sum += touch(column);
    }
  }
  EXPECT_EQ(pool->bytes_in_use(), 0);
  return sum;
}

// Errors of these kinds are what a broken file may give.
bool reads_or_fails(const std::string& path) {
  try {
    read_all(path);
    return true;
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::compute || error.kind() == ErrorKind::io ||
                error.kind() == ErrorKind::out_of_memory)
        << error.what();
    return false;
  }
}

Bytes sample(int number) {
  return number == 0 ? Bytes(std::begin(kFirst), std::end(kFirst)) : Bytes(std::begin(kSecond), std::end(kSecond));
}

class ParquetDamage : public testing::TestWithParam<int> {};

TEST_P(ParquetDamage, WholeFilesHaveTheirValues) {
  Scratch scratch;
  const ScanFile file = open_file(scratch.write(sample(GetParam())));
  ASSERT_EQ(file.metadata->row_groups.size(), 2u);
  const memory::PoolPtr pool = memory::Pool::create(0);
  const Scan scan({file},
                  {{"i", columns::simple(columns::TypeId::int64)}, {"s", columns::simple(columns::TypeId::string)}},
                  {{0, 0}, {0, 1}}, pool, serial);
  EXPECT_EQ(scan.layouts()[0].like.physical, columns::Physical::w2);  // up to 1521
  EXPECT_EQ(scan.layouts()[1].like.encoding, columns::Encoding::dictionary);
  int64_t k = 0;
  for (int64_t group = 0; group < 2; ++group) {
    const std::vector<Column> read = scan.read(group, [] {});
    for (int64_t row = 0; row < scan.rows(group); ++row, ++k) {
      EXPECT_EQ(read[0].is_valid(row), k % 7 != 3);
      EXPECT_EQ(read[1].is_valid(row), k % 11 != 5);
      if (read[0].is_valid(row)) {
        EXPECT_EQ(static_cast<int64_t>(columns::whole_at(read[0], row)), k * k);
      }
      if (read[1].is_valid(row)) {
        EXPECT_EQ(columns::text_at(read[1], row), std::string(1, "ab"[k % 2]) + "long enough to lie outside");
      }
    }
  }
}

TEST_P(ParquetDamage, EveryPrefixFails) {
  Scratch scratch;
  const Bytes whole = sample(GetParam());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(reads_or_fails(scratch.write(Bytes(whole.begin(), whole.begin() + static_cast<long>(size))))) << size;
  }
}

// The metadata of a file whose data were cut: what they point to is gone.
TEST_P(ParquetDamage, CutDataFail) {
  Scratch scratch;
  const Bytes whole = sample(GetParam());
  for (size_t cut = 1; cut < 1000; cut += 13) {
    Bytes bytes(whole.begin(), whole.begin() + 4);
    bytes.insert(bytes.end(), whole.begin() + 4 + static_cast<long>(cut), whole.end());
    reads_or_fails(scratch.write(bytes));
  }
}

TEST_P(ParquetDamage, RandomChangesNeverCrash) {
  Scratch scratch;
  const Bytes whole = sample(GetParam());
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  int failed = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    Bytes bytes = whole;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int change = 0; change < changes; ++change) {
      uint8_t& byte = bytes[random() % bytes.size()];
      byte = random() % 2 ? static_cast<uint8_t>(byte ^ 1 << random() % 8) : static_cast<uint8_t>(random());
    }
    failed += !reads_or_fails(scratch.write(bytes));
  }
  EXPECT_GT(failed, 1000);
}

INSTANTIATE_TEST_SUITE_P(Versions, ParquetDamage, testing::Values(0, 1));

}  // namespace
}  // namespace frazil::formats
