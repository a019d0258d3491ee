// Batches that wait: for the end of their pipeline, or for the next one to read them. When memory runs short they move
// to a file, from which they are read when they are needed; else they stay where they are.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "memory/pool.hpp"

namespace frazil::execute {

class Parking;

// One batch that waits. Empty where it was taken away.
class FRAZIL_API Parked {
 public:
  Parked(std::shared_ptr<Parking> parking, columns::Batch batch);
  Parked(Parked&&) noexcept;
  Parked& operator=(Parked&&) noexcept;
  ~Parked();

  int64_t rows() const;
  int64_t ordinal() const;
  bool is_on_device() const;  // in the memory of a device, which it does not leave
  // A column without its buffers, and whether any of its rows is null.
  const columns::Column& shape(size_t column) const;
  bool has_nulls(size_t column) const;

  // Columns may be shared with the parking place: they do not change. What lies in a file is read anew each time.
  columns::Batch load() const;
  columns::Column load(size_t column) const;
  // The last reader of a column takes it away.
  columns::Column take(size_t column);
  // Fills in a column that is empty: of a batch that is made column by column.
  void put(size_t column, columns::Column made);

 private:
  friend class Parking;
  struct State;
  std::unique_ptr<State> state_;
};

// The parked batches of a query and the file that they move to, which has no name: it goes with the last of them.
class FRAZIL_API Parking final : public memory::Relief {
 public:
  Parking(memory::PoolPtr pool, std::string directory);
  ~Parking() override;
  Parking(const Parking&) = delete;
  Parking& operator=(const Parking&) = delete;

  // Moves batches to the file until it has `bytes` more; says how many it got.
  int64_t relieve(int64_t bytes) override;
  int64_t bytes_spilled() const { return end_; }
  const memory::PoolPtr& pool() const { return pool_; }

 private:
  friend class Parked;
  struct Extent {
    int64_t offset = -1;  // in the file; -1: the buffer stays in memory
    int64_t bytes = 0;
  };
  Extent write(const memory::Buffer& buffer);
  memory::Buffer read(const Extent& extent) const;
  void open();

  memory::PoolPtr pool_;
  std::string directory_;
  std::mutex mutex_;  // of all that follows
  std::set<Parked::State*> states_;
  int file_ = -1;
  int64_t end_ = 0;
};

FRAZIL_API int64_t rows_of(const std::vector<Parked>& batches);
// A column of all batches, one after the other. The batches lose it.
FRAZIL_API columns::Column take_column(std::vector<Parked>& batches, size_t column, const columns::DataType& type,
                                       const memory::PoolPtr& pool);

// Throws where batches could not be written to the directory.
FRAZIL_API void check_spill_directory(const std::string& directory);

}  // namespace frazil::execute
