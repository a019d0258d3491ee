#include "formats/parquet/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace frazil::formats {

namespace {

[[noreturn]] void fail_io(const std::string& path, int error) {
  fail(ErrorKind::io, std::strerror(error) + std::string(": ") + path);
}

// Closes a file that is open for one reading.
struct Opened {
  explicit Opened(const std::string& path) : fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd < 0) fail_io(path, errno);
  }
  ~Opened() {
    if (fd >= 0) ::close(fd);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  int fd;
};

int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1000000000 + time.tv_nsec; }

FileIdentity identity_of(int fd, const std::string& path) {
  struct stat status;
  if (::fstat(fd, &status) != 0) fail_io(path, errno);
  if (S_ISDIR(status.st_mode)) fail_io(path, EISDIR);
  return {status.st_size, nanoseconds(status.st_mtim), nanoseconds(status.st_ctim), status.st_ino, status.st_dev};
}

void read_fully(int fd, const std::string& path, int64_t offset, int64_t bytes, void* to) {
  for (int64_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(fd, static_cast<char*>(to) + done, static_cast<size_t>(bytes - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io(path, errno);
    if (got == 0) fail(ErrorKind::io, "the file ended early: " + path);
    done += got;
  }
}

}  // namespace

File::File(std::string path, bool keep_open) : path_(std::move(path)) {
  Opened opened(path_);
  identity_ = identity_of(opened.fd, path_);
  if (keep_open) fd_ = std::exchange(opened.fd, -1);
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

void File::read(int64_t offset, int64_t bytes, void* to) const {
  if (fd_ >= 0) return read_fully(fd_, path_, offset, bytes, to);
  const Opened opened(path_);
  if (!(identity_of(opened.fd, path_) == identity_))
    fail(ErrorKind::io, "the file changed while it was read: " + path_);
  read_fully(opened.fd, path_, offset, bytes, to);
}

namespace {

constexpr int64_t kTail = 8;          // the length of the metadata, and the magic
constexpr int64_t kGuess = 64 << 10;  // read at once; most metadata are smaller

FileMetadata read_footer(const File& file) {
  const int64_t size = file.identity().bytes;
  if (size < 4 + kTail) fail(ErrorKind::compute, "not a Parquet file, it is too short: " + file.path());
  std::vector<uint8_t> tail(static_cast<size_t>(std::min(size, kGuess)));
  file.read(size - static_cast<int64_t>(tail.size()), static_cast<int64_t>(tail.size()), tail.data());
  const uint8_t* end = tail.data() + tail.size();
  if (std::memcmp(end - 4, "PARE", 4) == 0) return {.rows = 0, .leaves = {}, .row_groups = {}, .encrypted = true};
  if (std::memcmp(end - 4, "PAR1", 4) != 0) fail(ErrorKind::compute, "not a Parquet file: " + file.path());
  uint32_t bytes;
  std::memcpy(&bytes, end - kTail, sizeof bytes);
  if (bytes > size - kTail - 4) fail(ErrorKind::compute, "the metadata are longer than their file: " + file.path());
  const int64_t start = size - kTail - bytes;
  if (bytes + kTail > static_cast<int64_t>(tail.size())) {
    tail.resize(bytes + kTail);
    file.read(start, bytes + kTail, tail.data());
  }
  try {
    return parse_metadata({tail.data() + tail.size() - kTail - bytes, bytes}, start);
  } catch (const Error& error) {
    fail(error.kind(), std::string(error.what()) + " in " + file.path());
  }
}

// Metadata of the files that were read last, so that a plan is checked and run with one reading.
class MetadataCache {
 public:
  std::shared_ptr<const FileMetadata> find(const File& file) {
    std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->path != file.path()) continue;
      if (!(entry->identity == file.identity())) {
        erase(entry);
        return nullptr;
      }
      entries_.splice(entries_.begin(), entries_, entry);
      return entry->metadata;
    }
    return nullptr;
  }

  void insert(const File& file, std::shared_ptr<const FileMetadata> metadata) {
    std::lock_guard lock(mutex_);
    entries_.push_front({file.path(), file.identity(), std::move(metadata)});
    chunks_ += entries_.front().chunks();
    while (chunks_ > kChunks && entries_.size() > 1) erase(std::prev(entries_.end()));
  }

 private:
  struct Entry {
    std::string path;
    FileIdentity identity;
    std::shared_ptr<const FileMetadata> metadata;
    int64_t chunks() const { return static_cast<int64_t>(metadata->leaves.size() * (metadata->row_groups.size() + 1)); }
  };
  void erase(std::list<Entry>::iterator entry) {
    chunks_ -= entry->chunks();
    entries_.erase(entry);
  }

  static constexpr int64_t kChunks = 200000;  // about 30 MB
  std::mutex mutex_;
  std::list<Entry> entries_;
  int64_t chunks_ = 0;
};

// Times are kept in coarse steps, so a file may change again right after it changed without showing it.
bool is_settled(const File& file) {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - file.identity().changed_ns > int64_t{2000000000};
}

}  // namespace

std::shared_ptr<const FileMetadata> read_metadata(const File& file) {
  static MetadataCache cache;
  if (auto found = cache.find(file)) return found;
  const bool keep = is_settled(file);
  auto metadata = std::make_shared<const FileMetadata>(read_footer(file));
  if (keep) cache.insert(file, metadata);
  return metadata;
}

}  // namespace frazil::formats
