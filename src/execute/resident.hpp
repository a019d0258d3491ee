// Columns that lie in a device's memory: those of sources, kept between queries, and what queries make of them. A kept
// column is known by its source's key and its name; the source is kept beside it, so that a key that names host buffers
// stays true.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "execute/source.hpp"
#include "primitives/device.hpp"

namespace frazil::execute {

bool is_on_device(const columns::Column& column);
bool is_on_device(const columns::Batch& batch);

// Rows in a device's memory; read by tasks of the CPU they are copied, once.
SourcePtr device_source(const columns::Schema& schema, columns::Batch batch);

class Resident {
 public:
  explicit Resident(std::shared_ptr<primitives::Device> device)
      : device_(std::move(device)), place_(device_->allocate(1).place()) {}

  primitives::Device& device() { return *device_; }
  memory::Place place() const { return place_; }  // of the device's buffers
  // The columns of `wanted` (numbers in the source's facts) for all rows of the source, in the device's memory; the
  // others are empty. What is not there yet is read and copied. `batch.rows` is the source's.
  columns::Batch load(Context& context, const SourcePtr& source, const std::vector<int>& wanted);
  void clear();

  columns::Column upload(Context& context, const columns::Column& column);
  columns::Column download(Context& context, const columns::Column& column);
  columns::Batch download(Context& context, const columns::Batch& batch);
  // Rows by their numbers.
  columns::Batch gather(const columns::Batch& batch, const memory::Buffer& numbers, int64_t rows);
  columns::Batch slice(const columns::Batch& batch, int64_t first, int64_t rows);

 private:
  struct Entry {
    SourcePtr source;
    columns::Column column;
    int64_t last_use;
  };
  // Forgets columns, those not asked for longest first, until `bytes` more leave a fifth of the device free.
  void make_room(int64_t bytes);
  void read(Context& context, Source& source, std::vector<columns::Column*> missing);

  std::shared_ptr<primitives::Device> device_;
  memory::Place place_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  int64_t uses_ = 0;
};

}  // namespace frazil::execute
