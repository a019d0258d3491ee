// A file that is read by position, so that threads share it. Not here: what the bytes mean.
#pragma once

#include <memory>
#include <string>

#include "base/export.hpp"
#include "formats/parquet/metadata.hpp"
#include "memory/pool.hpp"

namespace frazil::formats {

// What tells that a file is still the one that was seen.
struct FileIdentity {
  int64_t bytes = 0, modified_ns = 0, changed_ns = 0;
  uint64_t inode = 0, device = 0;
  bool operator==(const FileIdentity&) const = default;
};

class FRAZIL_API File {
 public:
  // Throws io if there is no such file. A file that is not kept open is opened for each reading, and must not have
  // changed by then: a process may have only so many files open.
  explicit File(std::string path, bool keep_open = true);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }
  const FileIdentity& identity() const { return identity_; }
  // All of [offset, offset + bytes), or throws io.
  void read(int64_t offset, int64_t bytes, void* to) const;

 private:
  std::string path_;
  int fd_ = -1;
  FileIdentity identity_;
};
using FilePtr = std::shared_ptr<const File>;

// The metadata of a Parquet file; kept, and read again only if the file has changed.
FRAZIL_API std::shared_ptr<const FileMetadata> read_metadata(const File& file);

}  // namespace frazil::formats
