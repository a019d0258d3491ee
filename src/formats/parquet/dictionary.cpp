#include "formats/parquet/dictionary.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/error.hpp"
#include "columns/column.hpp"
#include "formats/parquet/pages.hpp"
#include "formats/parquet/texts.hpp"

namespace frazil::formats {

using columns::Column;
using columns::View;

namespace {

constexpr const char* kWho = "scan_parquet";

// Header of the page at `offset` of a chunk, read from the file in as few bytes as will do.
PageHeader read_header(const StoredChunk& stored, int64_t offset) {
  const Chunk& chunk = *stored.part.chunk;
  const int64_t left = chunk.bytes - offset;
  std::vector<uint8_t> bytes;
  for (int64_t window = 256;; window *= 16) {
    bytes.resize(static_cast<size_t>(std::min(window, left)));
    stored.file->read(chunk.start + offset, static_cast<int64_t>(bytes.size()), bytes.data());
    try {
      return parse_page_header(bytes);
    } catch (const Error&) {
      if (window >= left) throw;  // else its statistics may be longer than the window
    }
  }
}

bool only_codes(const StoredChunk& stored) {
  const Chunk& chunk = *stored.part.chunk;
  if (!(chunk.encodings & kDictionaryEncodings)) return false;
  if (chunk.page_encodings) return !(*chunk.page_encodings & ~kDictionaryEncodings);
  int64_t values = 0;
  for (int64_t offset = 0; values < chunk.values && offset < chunk.bytes;) {
    const PageHeader header = read_header(stored, offset);
    const bool is_data = header.kind == PageHeader::Kind::data || header.kind == PageHeader::Kind::data_v2;
    if (is_data && !is_dictionary(header.encoding)) return false;
    if (is_data) values += header.values;
    offset += header.header_bytes + header.bytes;
  }
  return true;
}

// Columns whose values hardly repeat gain nothing from codes; small dictionaries cost nothing either.
constexpr int64_t kSmall = 1024;

// A chunk's own dictionary; its texts lie in `owner`.
struct OwnDictionary {
  bool usable = false;
  memory::Buffer owner;
  std::vector<std::string_view> texts;
};

OwnDictionary read_dictionary(const StoredChunk& stored, bool is_string, const memory::PoolPtr& pool) {
  OwnDictionary own;
  const Chunk& chunk = *stored.part.chunk;
  if (!only_codes(stored)) return own;
  const PageHeader header = read_header(stored, 0);
  if (header.kind != PageHeader::Kind::dictionary || header.values > kDictionaryMax) return own;
  if (header.values > kSmall && header.values > chunk.values / 2) return own;
  const int64_t bytes = header.header_bytes + int64_t{header.bytes};
  if (bytes > chunk.bytes) fail(ErrorKind::compute, "Parquet: a dictionary is longer than its chunk");
  memory::Buffer page_bytes = pool->allocate(bytes, kWho);
  stored.file->read(chunk.start, bytes, page_bytes.mutable_as());
  PageReader reader({page_bytes.as<uint8_t>(), static_cast<size_t>(bytes)});
  Page page;
  reader.next(page);
  memory::Buffer scratch;
  const PageBody body = open_page(page_bytes, page, chunk.codec, false, pool, scratch);
  if (is_string) check_utf8(body.values, header.values);
  for_each_array(body.values, header.values, stored.part.leaf->array_bytes(), [&](const uint8* at, uint32 length) {
    own.texts.emplace_back(reinterpret_cast<const char*>(at), length);
  });
  own.owner = body.owner;
  own.usable = true;
  return own;
}

class Union {
 public:
  // The codes of `own` in the union; nothing if it becomes too large.
  std::optional<memory::Buffer> add(const OwnDictionary& own, const memory::PoolPtr& pool) {
    memory::Buffer map = pool->allocate(static_cast<int64_t>(own.texts.size() * sizeof(uint16_t)), kWho);
    const size_t before = texts_.size();
    uint16_t* to = map.mutable_as<uint16_t>();
    for (std::string_view text : own.texts) {
      auto [found, is_new] = codes_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
      if (is_new) {
        texts_.push_back(text);
        bytes_ += static_cast<int64_t>(text.size());
        if (static_cast<int64_t>(texts_.size()) > kDictionaryMax || bytes_ > kBytesMax) return std::nullopt;
      }
      *to++ = static_cast<uint16_t>(found->second);
    }
    if (texts_.size() > before) owners_.push_back(own.owner);
    return map;
  }

  std::shared_ptr<const Column> column(const columns::DataType& type, const memory::PoolPtr& pool) {
    if (texts_.empty()) texts_.push_back("");  // the code under nulls has to mean something
    auto column = std::make_shared<Column>();
    column->type = type;
    column->rows = static_cast<int64_t>(texts_.size());
    column->physical = columns::Physical::view;
    column->values = pool->allocate_zeroed(column->rows * static_cast<int64_t>(sizeof(View)), kWho);
    memory::Buffer characters = pool->allocate(bytes_, kWho);
    View* view = column->values.mutable_as<View>();
    int64_t at = 0;
    for (std::string_view text : texts_) {
      view->length = static_cast<int32_t>(text.size());
      if (text.size() <= View::kInline) {
        std::memcpy(view->prefix, text.data(), text.size());
      } else {
        std::memcpy(view->prefix, text.data(), sizeof view->prefix);
        std::memcpy(characters.mutable_as<char>() + at, text.data(), text.size());
        view->offset = static_cast<int32_t>(at);
        at += static_cast<int64_t>(text.size());
      }
      ++view;
    }
    column->characters = {characters};
    return column;
  }

 private:
  static constexpr int64_t kBytesMax = 256 << 20;
  std::unordered_map<std::string_view, uint32_t> codes_;
  std::vector<std::string_view> texts_;
  std::vector<memory::Buffer> owners_;
  int64_t bytes_ = 0;
};

}  // namespace

ScanDictionary unite_dictionaries(const columns::DataType& type, std::span<const StoredChunk> chunks,
                                  const memory::PoolPtr& pool, const Parallel& parallel) {
  constexpr size_t kAtOnce = 64;  // so that little is read of columns that turn out to have too many values
  Union all;
  ScanDictionary result;
  for (size_t first = 0; first < chunks.size(); first += kAtOnce) {
    std::vector<OwnDictionary> own(std::min(kAtOnce, chunks.size() - first));
    parallel(static_cast<int64_t>(own.size()), [&](int64_t i) {
      const StoredChunk& chunk = chunks[first + static_cast<size_t>(i)];
      own[static_cast<size_t>(i)] = read_dictionary(chunk, type.id == columns::TypeId::string, pool);
    });
    for (const OwnDictionary& one : own) {
      auto map = one.usable ? all.add(one, pool) : std::nullopt;
      if (!map) return {};
      result.code_maps.push_back(std::move(*map));
    }
  }
  result.values = all.column(type, pool);
  return result;
}

}  // namespace frazil::formats
