#include "formats/parquet/decode.hpp"

#include <cstring>

#include "base/error.hpp"
#include "columns/bits.hpp"
#include "formats/parquet/runs.hpp"
#include "formats/parquet/values.hpp"

namespace frazil::formats {

using columns::BitAppender;
using columns::Column;
using columns::Physical;

namespace {

constexpr const char* kWho = "scan_parquet";

void require(bool condition, const char* what) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::compute, std::string("Parquet: ") + what);
}

// Brings values to the rows that are valid; the others become 0.
template <class T>
void spread(const uint64* valid, int64_t rows, const T* from, T* to) {
  for (int64_t row = 0; row < rows; row += 64, ++valid) {
    const int count = static_cast<int>(rows - row < 64 ? rows - row : 64);
    const uint64 bits = *valid;
    if (bits == ~uint64{0}) {
      std::memcpy(to + row, from, 64 * sizeof(T));
      from += 64;
      continue;
    }
    for (int k = 0; k < count; ++k) {
      const bool is_valid = bits >> k & 1;
      to[row + k] = is_valid ? *from : T{0};
      from += is_valid;
    }
  }
}

void spread(const uint64* valid, int64_t rows, int row_bytes, const void* from, void* to) {
  auto as = [&]<class T>(T) { spread(valid, rows, static_cast<const T*>(from), static_cast<T*>(to)); };
  switch (row_bytes) {
    case 1: return as(uint8{});
    case 2: return as(uint16{});
    case 4: return as(uint32{});
    case 8: return as(uint64{});
    default: return as(uint128{});
  }
}

// Which rows of a page are there.
struct Levels {
  int64_t valid = 0;
  memory::Buffer bits;  // read only where some rows are missing
};

class ChunkDecoder {
 public:
  ChunkDecoder(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool, Column& to)
      : input_(input),
        layout_(layout),
        pool_(pool),
        to_(to),
        validity_(to.validity ? to.validity.mutable_as<uint64>() : nullptr) {}
  virtual ~ChunkDecoder() = default;

  void run() {
    const std::span<const uint8_t> chunk(input_.bytes.as<uint8_t>(), static_cast<size_t>(input_.bytes.bytes()));
    const int64_t values = input_.part.chunk->values;
    check_values(chunk, values);
    PageReader reader(chunk);
    for (Page page; row_ < values && reader.next(page);) {
      input_.between();
      read(page);
    }
    finish();
    validity_.finish();
    if (nulls_ == 0) to_.validity = {};
  }

 protected:
  virtual void read_dictionary(const Page& page) = 0;
  virtual void read_values(const Page& page, const PageBody& body, const Levels& levels) = 0;
  virtual void finish() {}

  PageBody open(const Page& page, bool has_levels) {
    return open_page(input_.bytes, page, input_.part.chunk->codec, has_levels, pool_, scratch_);
  }

  const ChunkInput& input_;
  const Layout& layout_;
  const memory::PoolPtr& pool_;
  Column& to_;
  memory::Buffer scratch_;
  int64_t row_ = 0;  // rows before the current page

 private:
  void read(const Page& page) {
    if (page.header.kind == PageHeader::Kind::dictionary) {
      const PageEncoding encoding = page.header.encoding;
      require(encoding == PageEncoding::plain || encoding == PageEncoding::plain_dictionary,
              "a dictionary is not in the encoding PLAIN");
      return read_dictionary(page);
    }
    const PageBody body = open(page, input_.part.leaf->optional);
    const Levels levels = read_levels(page, body);
    read_values(page, body, levels);
    row_ += page.header.values;
  }

  Levels read_levels(const Page& page, const PageBody& body) {
    const int64_t rows = page.header.values;
    Levels levels{rows, {}};
    if (input_.part.leaf->optional) {
      require(page.header.levels == PageEncoding::rle, "levels are not in the encoding RLE");
      levels.bits = pool_->allocate(columns::words_for_bits(rows) * 8, kWho);
      BitAppender bits(levels.bits.mutable_as<uint64>());
      levels.valid = read_bits(body.levels, rows, bits);
      bits.finish();
    }
    if (levels.valid < rows && !layout_.nullable) fail_statistics(*input_.part.leaf);
    nulls_ += rows - levels.valid;
    if (!layout_.nullable) return levels;
    if (levels.valid < rows) {
      validity_.append_all(levels.bits.as<uint8>(), 0, rows);
    } else {
      validity_.append_repeated(true, rows);
    }
    return levels;
  }

  BitAppender validity_;
  int64_t nulls_ = 0;
};

class RowDecoder : public ChunkDecoder {
 public:
  RowDecoder(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool, Column& to)
      : ChunkDecoder(input, layout, pool, to), values_(values_for(input, layout, pool, to.characters)) {}

 private:
  void read_dictionary(const Page& page) override {
    if (values_->dictionary(open(page, false), page.header.values)) scratch_ = {};
  }

  void read_values(const Page& page, const PageBody& body, const Levels& levels) override {
    const int64_t rows = page.header.values;
    void* out = to_.values.mutable_as<uint8_t>() + row_ * values_->row_bytes();
    if (levels.valid == rows) return read_into(page, body, rows, out);
    memory::Buffer dense = pool_->allocate(levels.valid * values_->row_bytes(), kWho);
    read_into(page, body, levels.valid, dense.mutable_as<void>());
    spread(levels.bits.as<uint64>(), rows, values_->row_bytes(), dense.as<void>(), out);
  }

  void read_into(const Page& page, const PageBody& body, int64_t count, void* out) {
    if (count == 0) return;
    if (page.header.encoding == PageEncoding::plain) {
      if (values_->plain(body, count, out)) scratch_ = {};
      return;
    }
    require(is_dictionary(page.header.encoding), "a page has an encoding that its chunk does not tell of");
    require(!body.values.empty(), "a page is too short for its codes");
    values_->codes(body.values.subspan(1), body.values[0], count, out);
  }

  std::unique_ptr<Values> values_;
};

class TruthDecoder : public ChunkDecoder {
 public:
  TruthDecoder(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool, Column& to)
      : ChunkDecoder(input, layout, pool, to), out_(to.values.mutable_as<uint64>()) {}

 private:
  void read_dictionary(const Page&) override { require(false, "booleans have a dictionary"); }

  void read_values(const Page& page, const PageBody& body, const Levels& levels) override {
    const int64_t rows = page.header.values;
    if (levels.valid == rows) return read_into(page, body, rows, out_);
    memory::Buffer dense = pool_->allocate(columns::words_for_bits(levels.valid) * 8, kWho);
    BitAppender bits(dense.mutable_as<uint64>());
    read_into(page, body, levels.valid, bits);
    bits.finish();
    for (int64_t row = 0, at = 0; row < rows; ++row) {
      const bool is_valid = columns::bit_at(levels.bits.as<uint8>(), row);
      out_.append(is_valid && columns::bit_at(dense.as<uint8>(), at), 1);
      at += is_valid;
    }
  }

  static void read_into(const Page& page, const PageBody& body, int64_t count, BitAppender& out) {
    if (count == 0) return;
    if (page.header.encoding == PageEncoding::plain) {
      require(columns::bytes_for_bits(count) <= static_cast<int64_t>(body.values.size()),
              "a page is too short for its values");
      out.append_all(body.values.data(), 0, count);
      return;
    }
    require(page.header.encoding == PageEncoding::rle, "a page has an encoding that its chunk does not tell of");
    uint32_t bytes = 0;
    require(body.values.size() >= sizeof bytes, "a page is too short for its values");
    std::memcpy(&bytes, body.values.data(), sizeof bytes);
    require(bytes <= body.values.size() - sizeof bytes, "a page is too short for its values");
    read_bits(body.values.subspan(sizeof bytes, bytes), count, out);
  }

  void finish() override { out_.finish(); }

  BitAppender out_;
};

}  // namespace

void decode_chunk(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool, Column& to) {
  if (layout.like.physical == Physical::bits) return TruthDecoder(input, layout, pool, to).run();
  RowDecoder(input, layout, pool, to).run();
}

Column decode_chunk(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool) {
  const int64_t rows = input.part.chunk->values;
  Column column = layout.like;
  column.rows = rows;
  check_values({input.bytes.as<uint8_t>(), static_cast<size_t>(input.bytes.bytes())}, rows);
  const bool truths = column.physical == Physical::bits;
  const int64_t words = columns::words_for_bits(rows);
  column.values = pool->allocate(truths ? words * 8 : rows * columns::bytes_per_row(column.physical), kWho);
  if (layout.nullable) column.validity = pool->allocate(words * 8, kWho);
  decode_chunk(input, layout, pool, column);
  return column;
}

}  // namespace frazil::formats
