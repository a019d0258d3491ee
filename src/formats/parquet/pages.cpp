#include "formats/parquet/pages.hpp"

#include <cstring>

#include "base/error.hpp"
#include "formats/parquet/codec.hpp"

namespace frazil::formats {

namespace {

void require(bool condition, const char* what) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::compute, std::string("Parquet: ") + what);
}

}  // namespace

bool PageReader::next(Page& page) {
  while (at_ < static_cast<int64_t>(chunk_.size())) {
    page.header = parse_page_header(chunk_.subspan(static_cast<size_t>(at_)));
    page.offset = at_ + page.header.header_bytes;
    require(page.header.bytes <= static_cast<int64_t>(chunk_.size()) - page.offset, "a page is longer than its chunk");
    at_ = page.offset + page.header.bytes;
    if (page.header.kind != PageHeader::Kind::index) return true;
  }
  return false;
}

void check_values(std::span<const uint8_t> chunk, int64_t values) {
  PageReader reader(chunk);
  int64_t seen = 0;
  for (Page page; seen < values && reader.next(page);) {
    if (page.header.kind != PageHeader::Kind::dictionary) seen += page.header.values;
  }
  require(seen == values, "the pages of a chunk have other values than it");
}

namespace {

memory::Buffer& at_least(int64_t bytes, const memory::PoolPtr& pool, memory::Buffer& scratch) {
  if (!scratch || scratch.bytes() < bytes) {
    scratch = {};
    scratch = pool->allocate(bytes, "scan_parquet");
  }
  return scratch;
}

// Version 1 has the length of the levels in front of them.
void split_levels(PageBody& body) {
  uint32_t bytes = 0;
  require(body.values.size() >= sizeof bytes, "a page is too short for its levels");
  std::memcpy(&bytes, body.values.data(), sizeof bytes);
  require(bytes <= body.values.size() - sizeof bytes, "a page is too short for its levels");
  body.levels = body.values.subspan(sizeof bytes, bytes);
  body.values = body.values.subspan(sizeof bytes + bytes);
}

}  // namespace

PageBody open_page(const memory::Buffer& chunk, const Page& page, Codec codec, bool has_levels,
                   const memory::PoolPtr& pool, memory::Buffer& scratch) {
  const PageHeader& header = page.header;
  std::span<const uint8_t> stored(chunk.as<uint8_t>() + page.offset, static_cast<size_t>(header.bytes));
  PageBody body;
  const bool second = header.kind == PageHeader::Kind::data_v2;
  if (second) body.levels = stored.first(static_cast<size_t>(header.level_bytes));
  const int64_t bytes = header.bytes_whole - (second ? header.level_bytes : 0);
  if (second) stored = stored.subspan(static_cast<size_t>(header.level_bytes));
  if (codec == Codec::none || (second && !header.compressed)) {
    require(static_cast<int64_t>(stored.size()) == bytes, "a page that is not compressed has two sizes");
    body.owner = chunk;
    body.values = stored;
  } else if (bytes > 0) {
    check_size(codec, stored, bytes);
    body.owner = at_least(bytes, pool, scratch);
    decompress(codec, stored, {scratch.mutable_as<uint8_t>(), static_cast<size_t>(bytes)});
    body.values = {scratch.as<uint8_t>(), static_cast<size_t>(bytes)};
  }
  if (has_levels && header.kind == PageHeader::Kind::data) split_levels(body);
  return body;
}

}  // namespace frazil::formats
