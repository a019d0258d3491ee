#include "execute/resident.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "columns/bits.hpp"
#include "execute/scheduler.hpp"
#include "primitives/move.hpp"

namespace frazil::execute {

using columns::Batch;
using columns::Column;
using columns::Physical;

bool is_on_device(const Column& column) { return column.values.place().kind == memory::Kind::device; }

bool is_on_device(const Batch& batch) {
  return std::any_of(batch.columns.begin(), batch.columns.end(), [](const Column& c) { return is_on_device(c); });
}

namespace {

class DeviceSource : public Source {
 public:
  DeviceSource(const columns::Schema& schema, Batch batch) : schema_(schema), batch_(std::move(batch)) {
    facts_.rows = batch_.rows;
    for (size_t c = 0; c < schema.size(); ++c) facts_.columns.push_back(describe(schema[c].name, batch_.columns[c]));
  }
  const Facts& facts() const override { return facts_; }
  const Batch* on_device() const override { return &batch_; }
  int64_t tasks() const override { return batch_.rows > 0 ? (batch_.rows + kMorselRows - 1) / kMorselRows : 0; }
  int64_t rows_before(int64_t task) const override { return task * kMorselRows; }
  Batch read(Context& context, int64_t task) override {
    {
      std::lock_guard lock(mutex_);
      if (!copy_) copy_ = context.resident->download(context, batch_);
    }
    const int64_t first = task * kMorselRows;
    Batch part = columns::slice(*copy_, first, std::min(kMorselRows, batch_.rows - first));
    part.ordinal = first;
    return part;
  }

 private:
  columns::Schema schema_;
  Batch batch_;
  Facts facts_;
  std::mutex mutex_;
  std::optional<Batch> copy_;
};

}  // namespace

SourcePtr device_source(const columns::Schema& schema, Batch batch) {
  return std::make_shared<DeviceSource>(schema, std::move(batch));
}

void Resident::clear() {
  std::lock_guard lock(mutex_);
  entries_.clear();
}

void Resident::make_room(int64_t bytes) {
  const int64_t limit = device_->memory_bytes() / 5 * 4;
  while (!entries_.empty() && device_->bytes_in_use() + bytes > limit) {
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return a.second.last_use < b.second.last_use;
    }));
  }
}

namespace {

// A column on its way to the device, batch by batch. Bits and validity are put together here, since neighbouring
// batches share bytes of them.
class Upload {
 public:
  Upload(primitives::Device& device, Column& to, bool nullable) : device_(device), to_(to) {
    const int64_t words = columns::words_for_bits(to.rows) * 8;
    const int width = columns::bytes_per_row(to.physical);
    to.values = device.allocate(width > 0 ? to.rows * width : words);
    if (width == 0) bits_.resize(static_cast<size_t>(words), 0);
    if (nullable) validity_.resize(static_cast<size_t>(words), 0);
  }

  // Rows that begin at `row`.
  void add(const Column& from, int64_t row) {
    const int64_t width = columns::bytes_per_row(to_.physical);
    if (to_.physical == Physical::view) {
      add_views(from, row);
    } else if (width > 0) {
      device_.write(to_.values, row * width, from.values.as<char>() + from.offset * width, from.rows * width);
    }
    if (bits_.empty() && validity_.empty()) return;
    std::lock_guard lock(mutex_);
    for (int64_t i = 0; i < from.rows; ++i) {
      const int64_t bit = from.offset + i;
      if (!bits_.empty()) set(bits_, row + i, from.values.as<uint8>()[bit >> 3] >> (bit & 7) & 1);
      if (!validity_.empty()) set(validity_, row + i, from.is_valid(i));
    }
  }
  void finish() {
    if (!bits_.empty()) device_.write(to_.values, 0, bits_.data(), static_cast<int64_t>(bits_.size()));
    if (validity_.empty()) return;
    to_.validity = device_.allocate(static_cast<int64_t>(validity_.size()));
    device_.write(to_.validity, 0, validity_.data(), static_cast<int64_t>(validity_.size()));
  }

 private:
  static void set(std::vector<uint8>& bits, int64_t at, bool value) {
    bits[static_cast<size_t>(at >> 3)] |= static_cast<uint8>(value << (at & 7));
  }
  // Views there hold addresses: the text goes first.
  void add_views(const Column& from, int64_t row) {
    std::string text;
    std::vector<program::RegisterView> views(static_cast<size_t>(from.rows));
    std::vector<size_t> begins(views.size());
    for (int64_t i = 0; i < from.rows; ++i) {
      if (!from.is_valid(i)) continue;
      const std::string_view one = columns::text_at(from, i);
      program::RegisterView& view = views[static_cast<size_t>(i)];
      view = program::view_of(one.data(), static_cast<uint32>(one.size()));
      if (view.length <= program::RegisterView::kInline) continue;
      begins[static_cast<size_t>(i)] = text.size();
      text += one;
    }
    memory::Buffer characters = device_.allocate(static_cast<int64_t>(text.size()));
    device_.write(characters, 0, text.data(), static_cast<int64_t>(text.size()));
    for (size_t i = 0; i < views.size(); ++i) {
      if (views[i].length > program::RegisterView::kInline) views[i].address = characters.as<char>() + begins[i];
    }
    device_.write(to_.values, row * 16, views.data(), from.rows * 16);
    std::lock_guard lock(mutex_);
    to_.characters.push_back(std::move(characters));
  }

  primitives::Device& device_;
  Column& to_;
  std::mutex mutex_;
  std::vector<uint8> bits_, validity_;
};

// The column that another becomes on the device: without values yet, and with a value for each row.
Column like(const Column& column) {
  Column out = column;
  out.offset = 0;
  out.values = out.validity = {};
  out.characters.clear();
  if (out.encoding == columns::Encoding::constant) out.encoding = columns::Encoding::plain;
  return out;
}

Column spelled_out(Context& context, const Column& column) {
  return column.encoding == columns::Encoding::constant ? primitives::decode(column, context.pool) : column;
}

}  // namespace

// Reads the source once and copies the missing columns, batch by batch, each to its place.
void Resident::read(Context& context, Source& source, std::vector<Column*> missing) {
  int64_t bytes = 0;
  for (const Column* column : missing) bytes += column ? column->rows * columns::bytes_per_row(column->physical) : 0;
  make_room(bytes);
  std::vector<std::unique_ptr<Upload>> uploads(missing.size());
  for (size_t c = 0; c < missing.size(); ++c) {
    if (missing[c]) uploads[c] = std::make_unique<Upload>(*device_, *missing[c], source.facts().columns[c].nullable);
  }
  context.scheduler->run(context, source.tasks(), [&](int, int64_t task) {
    const Batch batch = source.read(context, task);
    for (size_t c = 0; c < missing.size(); ++c) {
      if (!missing[c]) continue;
      const Column from = spelled_out(context, batch.columns[c]);
      FZ_CHECK(from.physical == missing[c]->physical && from.encoding == missing[c]->encoding);
      uploads[c]->add(from, source.rows_before(task));
    }
  });
  for (const auto& upload : uploads) {
    if (upload) upload->finish();
  }
}

Column Resident::upload(Context& context, const Column& column) {
  const Column from = spelled_out(context, column);
  Column to = like(from);
  Upload upload(*device_, to, from.has_nulls());
  upload.add(from, 0);
  upload.finish();
  return to;
}

namespace {

// Views of the device become Arrow's; their text lies in `characters` now, from `begins` on. A view's offset has 31
// bits, so long text is several buffers.
void point_into(Column& column, const memory::Buffer& characters, const std::vector<int64_t>& begins) {
  auto* views = column.values.mutable_as<columns::View>();
  int64_t first = 0;
  auto add_buffer = [&](int64_t end) {
    if (end > first) column.characters.push_back(characters.slice(first, end - first));
    first = end;
  };
  for (int64_t row = 0; row < column.rows; ++row) {
    const int64_t begin = begins[static_cast<size_t>(row)], end = begins[static_cast<size_t>(row) + 1];
    if (begin == end) {
      if (views[row].length > columns::View::kInline) views[row] = {};  // a null row
      continue;
    }
    if (end - first > INT32_MAX) add_buffer(begin);
    views[row].buffer = static_cast<int32>(column.characters.size());
    views[row].offset = static_cast<int32>(begin - first);
  }
  add_buffer(characters.bytes());
}

}  // namespace

Column Resident::download(Context& context, const Column& column) {
  Column to = like(column);
  auto fetch = [&](const memory::Buffer& from, int64_t bytes) {
    memory::Buffer buffer = context.pool->allocate(bytes, "copy from the device");
    device_->read(buffer.mutable_as(), from, 0, bytes);
    return buffer;
  };
  const int64_t bits = columns::words_for_bits(column.rows) * 8;
  const int width = columns::bytes_per_row(column.physical);
  to.values = fetch(column.values, width > 0 ? column.rows * width : bits);
  if (column.validity) to.validity = fetch(column.validity, bits);
  if (column.physical != Physical::view) return to;
  memory::Buffer characters, begins;
  device_->pack_text(column, characters, begins);
  std::vector<int64_t> host(static_cast<size_t>(column.rows + 1));
  device_->read(host.data(), begins, 0, begins.bytes());
  point_into(to, fetch(characters, characters.bytes()), host);
  return to;
}

Batch Resident::download(Context& context, const Batch& batch) {
  Batch out{batch.rows, {}, batch.ordinal};
  for (const Column& column : batch.columns) out.columns.push_back(download(context, column));
  return out;
}

Batch Resident::gather(const Batch& batch, const memory::Buffer& numbers, int64_t rows) {
  Batch out{rows, {}, batch.ordinal};
  for (const Column& column : batch.columns) out.columns.push_back(device_->gather(column, numbers, rows, false));
  return out;
}

Batch Resident::slice(const Batch& batch, int64_t first, int64_t rows) {
  std::vector<uint32> numbers(static_cast<size_t>(rows));
  std::iota(numbers.begin(), numbers.end(), static_cast<uint32>(first));
  memory::Buffer there = device_->allocate(rows * 4);
  device_->write(there, 0, numbers.data(), rows * 4);
  return gather(batch, there, rows);
}

namespace {

std::string entry_key(const Source& source, const program::SourceColumn& column) {
  return source.key() + "\n" + column.name + ":" + std::to_string(static_cast<int>(column.element)) + "+" +
         std::to_string(static_cast<int64_t>(column.base));
}

// Codes stay true only while they mean the same values.
bool same_values(const std::shared_ptr<const Column>& a, const std::shared_ptr<const Column>& b) {
  if (a == b) return true;
  if (!a || !b || a->rows != b->rows) return false;
  for (int64_t row = 0; row < a->rows; ++row) {
    if (columns::text_at(*a, row) != columns::text_at(*b, row)) return false;
  }
  return true;
}

}  // namespace

Batch Resident::load(Context& context, const SourcePtr& source, const std::vector<int>& wanted) {
  if (source->on_device()) return *source->on_device();
  std::lock_guard lock(mutex_);
  const Facts& facts = source->facts();
  Batch batch{facts.rows, std::vector<Column>(facts.columns.size())};
  std::vector<Column*> missing(facts.columns.size(), nullptr);
  bool any = false;
  for (int c : wanted) {
    const program::SourceColumn& like = facts.columns[static_cast<size_t>(c)];
    const auto found = entries_.find(entry_key(*source, like));
    if (!source->key().empty() && found != entries_.end() &&
        same_values(found->second.column.dictionary, like.dictionary)) {
      batch.columns[static_cast<size_t>(c)] = found->second.column;
      found->second.last_use = ++uses_;
      continue;
    }
    Column& column = batch.columns[static_cast<size_t>(c)];
    column.type = like.type;
    column.rows = facts.rows;
    column.encoding = like.encoding == columns::Encoding::constant ? columns::Encoding::plain : like.encoding;
    column.base = like.base;
    column.dictionary = like.dictionary;
    column.physical = physical_of(like.element);
    missing[static_cast<size_t>(c)] = &column;
    any = true;
  }
  if (!any) return batch;
  read(context, *source, missing);
  for (int c : wanted) {
    if (!missing[static_cast<size_t>(c)] || source->key().empty()) continue;
    const auto number = static_cast<size_t>(c);
    entries_[entry_key(*source, facts.columns[number])] = {source, batch.columns[number], ++uses_};
  }
  return batch;
}

}  // namespace frazil::execute
