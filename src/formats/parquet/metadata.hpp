// What a Parquet file says of itself: its columns, row groups and column chunks, checked against the file's size; and
// the headers of pages. No column data are read here.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"

namespace frazil::formats {

// Values are the format's own.
enum class Stored : uint8_t { boolean, int32, int64, int96, float32, float64, bytes, fixed };
enum class Codec : uint8_t { none, snappy, gzip, lzo, brotli, lz4, zstd, lz4_raw };
enum class PageEncoding : uint8_t {
  plain = 0,
  plain_dictionary = 2,
  rle = 3,
  bit_packed = 4,
  delta_binary = 5,
  delta_length = 6,
  delta_bytes = 7,
  rle_dictionary = 8,
  byte_stream_split = 9,
};
constexpr bool is_dictionary(PageEncoding encoding) {
  return encoding == PageEncoding::plain_dictionary || encoding == PageEncoding::rle_dictionary;
}

// A set of encodings, a bit each.
using EncodingSet = uint32_t;
constexpr EncodingSet set_of(PageEncoding encoding) { return 1u << static_cast<int>(encoding); }
constexpr EncodingSet kDictionaryEncodings =
    set_of(PageEncoding::plain_dictionary) | set_of(PageEncoding::rle_dictionary);

// A column of values. Columns below a group or with lists carry the name of their outermost field and are `nested`.
struct Leaf {
  std::string name;
  Stored stored = Stored::boolean;
  int32_t fixed_bytes = 0;
  bool optional = false;
  bool nested = false;
  bool is_unsigned = false;               // whole numbers, also in statistics
  std::optional<columns::DataType> type;  // absent: no dtype of ours stands for it
  std::string annotation;                 // what the file calls it, for messages

  int64_t array_bytes() const { return stored == Stored::fixed ? fixed_bytes : 0; }  // of a byte array; 0: they differ
};

struct Chunk {
  int64_t start = 0;  // of its first page
  int64_t bytes = 0;
  int64_t values = 0;
  int64_t dictionary_bytes = 0;             // before the first data page, 0 if not told
  int64_t nulls = -1;                       // -1: not told
  std::optional<columns::Interval> bounds;  // whole numbers: of all values, if told
  EncodingSet encodings = 0;
  std::optional<EncodingSet> page_encodings;  // of its data pages, if told
  Codec codec = Codec::none;
  bool readable = true;  // neither encrypted nor in another file
};

struct RowGroup {
  int64_t rows = 0;
  std::vector<Chunk> chunks;  // one per leaf
};

struct FRAZIL_API FileMetadata {
  int64_t rows = 0;
  std::vector<Leaf> leaves;
  std::vector<RowGroup> row_groups;
  bool encrypted = false;

  // The leaf of this outermost field; for nested ones its first. -1: none.
  int find(const std::string& name) const;
};

// `footer`: the metadata without their length and magic; the file has `data_bytes` before them.
FRAZIL_API FileMetadata parse_metadata(std::span<const uint8_t> footer, int64_t data_bytes);

struct PageHeader {
  enum class Kind : uint8_t { data = 0, index = 1, dictionary = 2, data_v2 = 3 };
  Kind kind = Kind::data;
  int32_t bytes = 0;        // in the file
  int32_t bytes_whole = 0;  // decompressed
  int32_t values = 0;       // with nulls
  PageEncoding encoding = PageEncoding::plain;
  PageEncoding levels = PageEncoding::rle;  // version 1
  int32_t level_bytes = 0;                  // version 2: definition levels, which are not compressed
  bool compressed = true;
  int32_t header_bytes = 0;
};

// The header at the front of `bytes`.
FRAZIL_API PageHeader parse_page_header(std::span<const uint8_t> bytes);

}  // namespace frazil::formats
