#include "execute/resident.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "columns/bits.hpp"
#include "execute/scheduler.hpp"

namespace frazil::execute {

using columns::Batch;
using columns::Column;

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

// Reads the source once and copies the missing columns, batch by batch, each to its place.
void Resident::read(Context& context, Source& source, std::vector<Column*> missing) {
  const int64_t rows = source.facts().rows;
  std::vector<std::vector<uint8>> validity(missing.size());
  std::mutex bits_mutex;
  int64_t bytes = 0;
  for (const Column* column : missing) bytes += column ? rows * columns::bytes_per_row(column->physical) : 0;
  make_room(bytes);
  for (size_t c = 0; c < missing.size(); ++c) {
    if (!missing[c]) continue;
    missing[c]->values = device_->allocate(rows * columns::bytes_per_row(missing[c]->physical));
    if (source.facts().columns[c].nullable)
      validity[c].resize(static_cast<size_t>(columns::words_for_bits(rows) * 8), 0);
  }
  context.scheduler->run(context, source.tasks(), [&](int, int64_t task) {
    const Batch batch = source.read(context, task);
    for (size_t c = 0; c < missing.size(); ++c) {
      if (!missing[c]) continue;
      const Column& from = batch.columns[c];
      FZ_CHECK(from.physical == missing[c]->physical && from.encoding == missing[c]->encoding);
      const int64_t width = columns::bytes_per_row(from.physical);
      device_->copy(missing[c]->values, source.rows_before(task) * width, from.values.as<char>() + from.offset * width,
                    batch.rows * width);
      if (validity[c].empty()) continue;
      std::lock_guard lock(bits_mutex);  // neighbouring batches share bytes
      for (int64_t row = 0; row < batch.rows; ++row) {
        const int64_t bit = source.rows_before(task) + row;
        if (from.is_valid(row)) validity[c][static_cast<size_t>(bit >> 3)] |= static_cast<uint8>(1u << (bit & 7));
      }
    }
  });
  for (size_t c = 0; c < missing.size(); ++c) {
    if (validity[c].empty()) continue;
    missing[c]->validity = device_->allocate(static_cast<int64_t>(validity[c].size()));
    device_->copy(missing[c]->validity, 0, validity[c].data(), static_cast<int64_t>(validity[c].size()));
  }
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
    column.encoding = like.encoding;
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
