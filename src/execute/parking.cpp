#include "execute/parking.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "execute/resident.hpp"
#include "primitives/move.hpp"

namespace frazil::execute {

using columns::Batch;
using columns::Column;
using columns::Encoding;
using columns::Physical;
using columns::View;
using memory::Buffer;

namespace {

template <class F>
void each_buffer(Column& column, F f) {
  f(column.values);
  f(column.validity);
  for (Buffer& buffer : column.characters) f(buffer);
  for (Column& child : column.children) each_buffer(child, f);
}

bool is_charged(const Column& column) {
  bool charged = false;
  each_buffer(const_cast<Column&>(column), [&](const Buffer& buffer) { charged |= buffer.is_charged(); });
  return charged;
}

// The column over those parts of its buffers that hold its rows. Its offset becomes less than a byte of bits.
void trim(Column& column) {
  for (Column& child : column.children) trim(child);
  if (column.encoding == Encoding::constant) return;
  const int64_t skipped = column.offset / 8 * 8;
  auto skip = [&](Buffer& buffer, int64_t bytes, int64_t kept) {
    if (buffer) buffer = buffer.slice(bytes, kept);
  };
  const int64_t rows = column.rows + column.offset - skipped;
  if (const int width = columns::bytes_per_row(column.physical)) skip(column.values, skipped * width, rows * width);
  if (column.physical == Physical::bits) skip(column.values, skipped / 8, (rows + 7) / 8);
  if (column.physical == Physical::offsets) skip(column.values, skipped * 8, (rows + 1) * 8);
  skip(column.validity, skipped / 8, (rows + 7) / 8);
  column.offset -= skipped;
}

// Views whose text is ours get a text of their own, since the buffers that they point into may hold that of many other
// batches.
void pack_text(Column& column) {
  for (Column& child : column.children) pack_text(child);
  if (column.physical != Physical::view || column.encoding == Encoding::constant) return;
  bool ours = false;
  for (const Buffer& buffer : column.characters) ours |= buffer.is_charged();
  if (!ours) return;
  struct Packed {
    std::vector<View> views;
    std::string characters;
  };
  auto packed = std::make_shared<Packed>();
  const View* views = column.values.as<View>();
  packed->views.assign(views, views + column.offset + column.rows);
  std::fill_n(packed->views.begin(), column.offset, View{});
  for (int64_t row = 0; row < column.rows; ++row) {
    View& view = packed->views[static_cast<size_t>(column.offset + row)];
    if (!column.is_valid(row)) view = {};
    if (view.length <= View::kInline) continue;
    if (packed->characters.size() + static_cast<size_t>(view.length) > INT32_MAX) return;
    const char* from = column.characters[static_cast<size_t>(view.buffer)].as<char>() + view.offset;
    view.buffer = 0;
    view.offset = static_cast<int32>(packed->characters.size());
    packed->characters.append(from, static_cast<size_t>(view.length));
  }
  // Not charged in truth, but about to be written like what they stand for.
  column.values = {packed, packed->views.data(), static_cast<int64_t>(packed->views.size() * sizeof(View)), {}, {},
                   true};
  column.characters = {
      {packed, packed->characters.data(), static_cast<int64_t>(packed->characters.size()), {}, {}, true}};
}

}  // namespace

// --- one batch -------------------------------------------------------------------------------------------------------

struct Parked::State {
  struct Place {
    Column column;  // without the buffers that are in the file
    Column shape;
    bool has_nulls;
    std::vector<Parking::Extent> extents;  // by buffer; empty: the column is in memory
  };
  static Place place(Column column) {
    Place place{column, column, column.has_nulls(), {}};
    each_buffer(place.shape, [](Buffer& buffer) { buffer = {}; });
    return place;
  }

  std::shared_ptr<Parking> parking;
  int64_t rows, ordinal;
  bool is_on_device;
  mutable std::mutex mutex;  // of the places: a column may move while another is read
  std::vector<Place> places;
};

Parked::Parked(std::shared_ptr<Parking> parking, Batch batch)
    : state_(new State{std::move(parking), batch.rows, batch.ordinal, execute::is_on_device(batch), {}, {}}) {
  for (Column& column : batch.columns) state_->places.push_back(State::place(std::move(column)));
  std::lock_guard lock(state_->parking->mutex_);
  state_->parking->states_.insert(state_.get());
}

Parked::Parked(Parked&&) noexcept = default;
Parked& Parked::operator=(Parked&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Parked::~Parked() {
  if (!state_) return;
  std::lock_guard lock(state_->parking->mutex_);
  state_->parking->states_.erase(state_.get());
}

int64_t Parked::rows() const { return state_->rows; }
int64_t Parked::ordinal() const { return state_->ordinal; }
bool Parked::is_on_device() const { return state_->is_on_device; }
const Column& Parked::shape(size_t column) const { return state_->places[column].shape; }
bool Parked::has_nulls(size_t column) const { return state_->places[column].has_nulls; }

Column Parked::load(size_t number) const {
  std::unique_lock lock(state_->mutex);
  Column column = state_->places[number].column;
  const std::vector<Parking::Extent> extents = state_->places[number].extents;
  lock.unlock();  // reading needs memory, which may move other batches
  auto extent = extents.begin();
  if (!extents.empty()) {
    each_buffer(column, [&](Buffer& buffer) {
      if (extent->offset >= 0) buffer = state_->parking->read(*extent);
      ++extent;
    });
  }
  return column;
}

Batch Parked::load() const {
  Batch batch{state_->rows, {}, state_->ordinal};
  for (size_t c = 0; c < state_->places.size(); ++c) batch.columns.push_back(load(c));
  return batch;
}

Column Parked::take(size_t number) {
  Column column = load(number);
  std::lock_guard lock(state_->mutex);
  each_buffer(state_->places[number].column, [](Buffer& buffer) { buffer = {}; });
  return column;
}

void Parked::put(size_t number, Column made) {
  State::Place place = State::place(std::move(made));
  std::lock_guard lock(state_->mutex);
  state_->places[number] = std::move(place);
}

int64_t rows_of(const std::vector<Parked>& batches) {
  int64_t rows = 0;
  for (const Parked& batch : batches) rows += batch.rows();
  return rows;
}

Column take_column(std::vector<Parked>& batches, size_t column, const columns::DataType& type,
                   const memory::PoolPtr& pool) {
  if (batches.empty()) return primitives::nulls(type, 0, pool);
  std::vector<Column> pieces;
  for (Parked& batch : batches) pieces.push_back(batch.take(column));
  return primitives::concatenate(pieces, pool);
}

// --- all of a query --------------------------------------------------------------------------------------------------

Parking::Parking(memory::PoolPtr pool, std::string directory)
    : pool_(std::move(pool)), directory_(std::move(directory)) {
  pool_->add_relief(this);
}

Parking::~Parking() {
  pool_->remove_relief(this);
  if (file_ >= 0) close(file_);
}

int64_t Parking::relieve(int64_t bytes) {
  std::lock_guard lock(mutex_);
  const int64_t before = end_;
  for (Parked::State* state : states_) {
    std::lock_guard moving(state->mutex);
    for (Parked::State::Place& place : state->places) {
      if (!place.extents.empty() || !is_charged(place.column)) continue;
      Column column = place.column;
      trim(column);
      pack_text(column);
      std::vector<Extent> extents;
      each_buffer(column, [&](Buffer& buffer) {
        extents.push_back(buffer.is_charged() ? write(buffer) : Extent{});
        if (extents.back().offset >= 0) buffer = {};
      });
      place.column = std::move(column);
      place.extents = std::move(extents);
    }
    if (end_ - before >= bytes) break;
  }
  return end_ - before;
}

void Parking::open() {
  const std::string directory = directory_.empty() ? std::filesystem::temp_directory_path().string() : directory_;
  file_ = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file_ < 0) {  // not every file system has files without names
    std::string name = directory + "/frazil-XXXXXX";
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ >= 0) unlink(name.c_str());
  }
  if (file_ < 0) {
    fail(ErrorKind::out_of_memory, "memory_limit is reached, and no file can be made in spill_directory \"" +
                                       directory + "\": " + std::strerror(errno));
  }
}

Parking::Extent Parking::write(const Buffer& buffer) {
  if (file_ < 0) open();
  const Extent extent{end_, buffer.bytes()};
  for (int64_t done = 0; done < extent.bytes;) {
    const ssize_t count = pwrite(file_, buffer.as<char>() + done, static_cast<size_t>(extent.bytes - done),
                                 static_cast<off_t>(extent.offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      fail(ErrorKind::out_of_memory,
           std::string("memory_limit is reached, and writing to spill_directory failed: ") + std::strerror(errno));
    }
    done += count;
  }
  end_ += extent.bytes;
  return extent;
}

Buffer Parking::read(const Extent& extent) const {
  Buffer buffer = pool_->allocate(extent.bytes, "spilled rows");
  for (int64_t done = 0; done < extent.bytes;) {
    const ssize_t count = pread(file_, buffer.mutable_as<char>() + done, static_cast<size_t>(extent.bytes - done),
                                static_cast<off_t>(extent.offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(ErrorKind::io, std::string("spilled rows cannot be read: ") + std::strerror(errno));
    done += count;
  }
  return buffer;
}

void check_spill_directory(const std::string& directory) {
  if (access(directory.c_str(), W_OK | X_OK) == 0 && std::filesystem::is_directory(directory)) return;
  fail(ErrorKind::io, "spill_directory \"" + directory + "\" is no folder that can be written to");
}

}  // namespace frazil::execute
