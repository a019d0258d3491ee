// Columns that lie in a device's memory, kept between queries. A column is known by its source's key and its name; the
// source is kept beside it, so that a key that names host buffers stays true.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "execute/source.hpp"
#include "primitives/device.hpp"

namespace frazil::execute {

class Resident {
 public:
  explicit Resident(std::shared_ptr<primitives::Device> device) : device_(std::move(device)) {}

  primitives::Device& device() { return *device_; }
  // The columns of `wanted` (numbers in the source's facts) for all rows of the source, in the device's memory; the
  // others are empty. What is not there yet is read and copied. `batch.rows` is the source's.
  columns::Batch load(Context& context, const SourcePtr& source, const std::vector<int>& wanted);
  void clear();

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
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  int64_t uses_ = 0;
};

}  // namespace frazil::execute
