#include "formats/parquet/metadata.hpp"

#include "base/error.hpp"
#include "formats/parquet/schema.hpp"
#include "formats/parquet/thrift.hpp"

namespace frazil::formats {

namespace {

void require(bool condition, const char* what) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::compute, std::string("Parquet: ") + what);
}

template <class Enum>
Enum enum_of(int32_t value, Enum last, const char* what) {
  require(value >= 0 && value <= static_cast<int32_t>(last), what);
  return static_cast<Enum>(value);
}

PageEncoding encoding_of(int32_t value) {
  require(value >= 0 && value < 32, "an encoding of no known kind");
  return static_cast<PageEncoding>(value);
}

// --- statistics
// -------------------------------------------------------------------------------------------------------

struct Statistics {
  std::optional<std::string_view> max_old, min_old, max, min;
  int64_t nulls = -1;
  bool exact = true;
};

Statistics read_statistics(ThriftReader& reader, ThriftType type) {
  Statistics statistics;
  reader.structure(type, [&](int16_t field, ThriftType kind) {
    switch (field) {
      case 1: statistics.max_old = reader.binary(kind); return true;
      case 2: statistics.min_old = reader.binary(kind); return true;
      case 3: statistics.nulls = reader.whole(kind); return true;
      case 5: statistics.max = reader.binary(kind); return true;
      case 6: statistics.min = reader.binary(kind); return true;
      case 7:
      case 8: statistics.exact &= reader.truth(kind); return true;
      default: return false;
    }
  });
  return statistics;
}

// A bound of a whole-number column; absent if it has not the size that such values have.
std::optional<int128> bound_of(const Leaf& leaf, std::string_view bytes) {
  if (leaf.stored == Stored::int32 && bytes.size() == 4) {
    const uint32 bits = static_cast<uint32>(little_endian(bytes));
    return leaf.is_unsigned ? int128{bits} : int128{static_cast<int32>(bits)};
  }
  if (leaf.stored == Stored::int64 && bytes.size() == 8) {
    const uint64 bits = little_endian(bytes);
    return leaf.is_unsigned ? int128{bits} : int128{static_cast<int64>(bits)};
  }
  if (leaf.stored == Stored::fixed && bytes.size() == static_cast<size_t>(leaf.fixed_bytes)) {
    return big_endian(bytes.data(), leaf.fixed_bytes);
  }
  return std::nullopt;
}

// The old fields were compared as signed numbers, whatever the column meant, and decimals in bytes not at all.
std::optional<columns::Interval> bounds_of(const Leaf& leaf, const Statistics& statistics) {
  if (!leaf.type || !leaf.type->is_whole_number() || !statistics.exact) return std::nullopt;
  std::optional<std::string_view> low = statistics.min, high = statistics.max;
  if (!low && !high && !leaf.is_unsigned && leaf.stored != Stored::fixed) {
    low = statistics.min_old;
    high = statistics.max_old;
  }
  if (!low || !high) return std::nullopt;
  const auto from = bound_of(leaf, *low), to = bound_of(leaf, *high);
  if (!from || !to || *from > *to) return std::nullopt;
  return columns::Interval{*from, *to};
}

// --- chunks and row groups -------------------------------------------------------------------------------------------

EncodingSet read_page_encodings(ThriftReader& reader, ThriftType type) {
  EncodingSet set = 0;
  reader.list(type, [&](ThriftType element) {
    int32_t page = 0, encoding = 0;
    reader.structure(element, [&](int16_t field, ThriftType kind) {
      if (field == 1) page = reader.whole32(kind);
      if (field == 2) encoding = reader.whole32(kind);
      return field == 1 || field == 2;
    });
    const bool data =
        page == static_cast<int32_t>(PageHeader::Kind::data) || page == static_cast<int32_t>(PageHeader::Kind::data_v2);
    if (data) set |= set_of(encoding_of(encoding));
  });
  return set;
}

struct ChunkOffsets {
  int64_t data = -1, dictionary = -1;
};

void read_chunk_metadata(ThriftReader& reader, ThriftType type, const Leaf& leaf, Chunk& chunk, ChunkOffsets& offsets) {
  Statistics statistics;
  reader.structure(type, [&](int16_t field, ThriftType kind) {
    switch (field) {
      case 1:
        require(reader.whole32(kind) == static_cast<int32_t>(leaf.stored), "a chunk has another type than its column");
        return true;
      case 2:
        reader.list(kind, [&](ThriftType element) { chunk.encodings |= set_of(encoding_of(reader.whole32(element))); });
        return true;
      case 4: chunk.codec = enum_of(reader.whole32(kind), Codec::lz4_raw, "a codec of no known kind"); return true;
      case 5: chunk.values = reader.whole(kind); return true;
      case 7: chunk.bytes = reader.whole(kind); return true;
      case 9: offsets.data = reader.whole(kind); return true;
      case 11: offsets.dictionary = reader.whole(kind); return true;
      case 12: statistics = read_statistics(reader, kind); return true;
      case 13: chunk.page_encodings = read_page_encodings(reader, kind); return true;
      default: return false;
    }
  });
  chunk.bounds = bounds_of(leaf, statistics);
  if (statistics.nulls >= 0 && statistics.nulls <= chunk.values) chunk.nulls = statistics.nulls;
}

Chunk read_chunk(ThriftReader& reader, ThriftType type, const Leaf& leaf, int64_t data_bytes) {
  Chunk chunk;
  ChunkOffsets offsets;
  bool described = false;
  reader.structure(type, [&](int16_t field, ThriftType kind) {
    switch (field) {
      case 1: chunk.readable &= reader.binary(kind).empty(); return true;
      case 3:
        read_chunk_metadata(reader, kind, leaf, chunk, offsets);
        described = true;
        return true;
      case 8: chunk.readable = false; return false;
      default: return false;
    }
  });
  if (!chunk.readable) return chunk;
  require(described, "a chunk without metadata");
  chunk.start = offsets.data;
  if (offsets.dictionary > 0 && offsets.dictionary < offsets.data) {
    chunk.start = offsets.dictionary;
    chunk.dictionary_bytes = offsets.data - offsets.dictionary;
  }
  require(chunk.values >= 0, "a chunk with fewer than no values");
  require(chunk.start >= 0 && chunk.bytes >= 0 && chunk.start <= data_bytes &&
              chunk.bytes <= data_bytes - chunk.start && chunk.dictionary_bytes <= chunk.bytes,
          "a chunk lies outside its file");
  return chunk;
}

RowGroup read_row_group(ThriftReader& reader, ThriftType type, const std::vector<Leaf>& leaves, int64_t data_bytes) {
  RowGroup group;
  reader.structure(type, [&](int16_t field, ThriftType kind) {
    if (field == 1) {
      require(group.chunks.empty(), "a row group has its columns twice");
      group.chunks.reserve(leaves.size());
      reader.list(kind, [&](ThriftType element) {
        require(group.chunks.size() < leaves.size(), "a row group has more chunks than the file has columns");
        group.chunks.push_back(read_chunk(reader, element, leaves[group.chunks.size()], data_bytes));
      });
      return true;
    }
    if (field == 3) group.rows = reader.whole(kind);
    return field == 3;
  });
  require(group.chunks.size() == leaves.size(), "a row group has fewer chunks than the file has columns");
  require(group.rows >= 0, "a row group with fewer than no rows");
  for (size_t i = 0; i < leaves.size(); ++i) {
    const bool flat = !leaves[i].nested && group.chunks[i].readable;
    require(!flat || group.chunks[i].values == group.rows, "a chunk has another number of values than its row group");
  }
  return group;
}

}  // namespace

int FileMetadata::find(const std::string& name) const {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

FileMetadata parse_metadata(std::span<const uint8_t> footer, int64_t data_bytes) {
  FileMetadata file;
  ThriftReader reader(footer);
  bool has_schema = false;
  reader.structure([&](int16_t field, ThriftType type) {
    switch (field) {
      case 2:
        require(!has_schema, "two schemas");
        file.leaves = read_schema(reader, type);
        has_schema = true;
        return true;
      case 3: file.rows = reader.whole(type); return true;
      case 4:
        require(has_schema && file.row_groups.empty(), "the metadata are not in order");
        reader.list(type, [&](ThriftType element) {
          file.row_groups.push_back(read_row_group(reader, element, file.leaves, data_bytes));
        });
        return true;
      case 8: file.encrypted = true; return false;
      default: return false;
    }
  });
  require(has_schema, "no schema");
  int64_t rows = 0;
  for (const RowGroup& group : file.row_groups) {
    require(!__builtin_add_overflow(rows, group.rows, &rows), "too many rows");
  }
  require(rows == file.rows, "the row groups have other rows than the file");
  return file;
}

// --- pages -----------------------------------------------------------------------------------------------------------

namespace {

// The fields of the three kinds of page, which are numbered alike as far as they matter.
struct KindOfPage {
  int values, encoding, levels, level_bytes, repetition_bytes, compressed;
};

void read_page(ThriftReader& reader, ThriftType type, const KindOfPage& numbers, PageHeader& header) {
  reader.structure(type, [&](int16_t field, ThriftType kind) {
    if (field == numbers.values) return header.values = reader.whole32(kind), true;
    if (field == numbers.encoding) return header.encoding = encoding_of(reader.whole32(kind)), true;
    if (field == numbers.levels) return header.levels = encoding_of(reader.whole32(kind)), true;
    if (field == numbers.level_bytes) return header.level_bytes = reader.whole32(kind), true;
    if (field == numbers.compressed) return header.compressed = reader.truth(kind), true;
    if (field == numbers.repetition_bytes) {
      require(reader.whole32(kind) == 0, "repetition levels in a column without lists");
      return true;
    }
    return false;
  });
}

}  // namespace

PageHeader parse_page_header(std::span<const uint8_t> bytes) {
  PageHeader header;
  ThriftReader reader(bytes);
  int32_t kind = -1, described = -1;
  reader.structure([&](int16_t field, ThriftType type) {
    switch (field) {
      case 1: kind = reader.whole32(type); return true;
      case 2: header.bytes_whole = reader.whole32(type); return true;
      case 3: header.bytes = reader.whole32(type); return true;
      case 5: read_page(reader, type, {1, 2, 3, -1, -1, -1}, header), described = 0; return true;
      case 7: read_page(reader, type, {1, 2, -1, -1, -1, -1}, header), described = 2; return true;
      case 8: read_page(reader, type, {1, 4, -1, 5, 6, 7}, header), described = 3; return true;
      default: return false;
    }
  });
  header.kind = enum_of(kind, PageHeader::Kind::data_v2, "a page of no known kind");
  require(header.kind == PageHeader::Kind::index || kind == described, "a page header lacks its description");
  require(header.bytes >= 0 && header.bytes_whole >= 0 && header.values >= 0 && header.level_bytes >= 0 &&
              header.level_bytes <= header.bytes && header.level_bytes <= header.bytes_whole,
          "a page of negative size");
  header.header_bytes = static_cast<int32_t>(reader.position());
  return header;
}

}  // namespace frazil::formats
