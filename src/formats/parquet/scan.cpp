#include "formats/parquet/scan.hpp"

#include "base/error.hpp"
#include "formats/parquet/codec.hpp"
#include "formats/parquet/decode.hpp"

namespace frazil::formats {

using columns::Column;

ScanFile open_file(const std::string& path) { return open_files({path})[0]; }

std::vector<ScanFile> open_files(const std::vector<std::string>& paths) {
  constexpr size_t kKeptOpen = 256;  // of the 1,024 that a process may usually have
  std::vector<ScanFile> files;
  for (const std::string& path : paths) {
    auto file = std::make_shared<const File>(path, paths.size() <= kKeptOpen);
    files.push_back({file, read_metadata(*file)});
  }
  return files;
}

namespace {

std::string quoted(const std::string& name) { return "column \"" + name + "\""; }

constexpr EncodingSet kSupported = kDictionaryEncodings | set_of(PageEncoding::plain) | set_of(PageEncoding::rle) |
                                   set_of(PageEncoding::bit_packed);  // which old writers name for levels

std::string encoding_name(EncodingSet unsupported) {
  constexpr const char* kNames[] = {"PLAIN",
                                    "",
                                    "PLAIN_DICTIONARY",
                                    "RLE",
                                    "BIT_PACKED",
                                    "DELTA_BINARY_PACKED",
                                    "DELTA_LENGTH_BYTE_ARRAY",
                                    "DELTA_BYTE_ARRAY",
                                    "RLE_DICTIONARY",
                                    "BYTE_STREAM_SPLIT"};
  const int number = __builtin_ctz(unsupported);
  return number < 10 ? kNames[number] : std::to_string(number);
}

void check_chunk(const Chunk& chunk, const std::string& name, std::vector<Problem>& problems) {
  if (!chunk.readable) {
    problems.push_back({"encryption", quoted(name) + " is encrypted or lies in another file"});
  } else if (!is_supported(chunk.codec)) {
    problems.push_back({"codec", quoted(name) + " has the codec " + std::string(name_of(chunk.codec)) +
                                     "; write the file with zstd or snappy"});
  } else if (const EncodingSet other = chunk.encodings & ~kSupported) {
    problems.push_back({"encoding", quoted(name) + " has the encoding " + encoding_name(other) +
                                        "; write the file with PLAIN or dictionaries"});
  } else if (chunk.values > INT32_MAX) {
    problems.push_back({"row_group", "row groups of more than " + std::to_string(INT32_MAX) + " rows"});
  }
}

void check_field(const FileMetadata& metadata, const columns::Field& field, std::vector<Problem>& problems) {
  const int number = metadata.find(field.name);
  if (number < 0) return problems.push_back({"schema", quoted(field.name) + " is missing in a file"});
  const Leaf& leaf = metadata.leaves[static_cast<size_t>(number)];
  if (leaf.nested) return problems.push_back({"nested", quoted(field.name) + " is nested"});
  if (!leaf.type) return problems.push_back({"dtype", quoted(field.name) + " is " + leaf.annotation + " in a file"});
  if (!(*leaf.type == field.type)) {
    return problems.push_back({"schema", quoted(field.name) + " is " + leaf.type->name() + " in a file, and " +
                                             field.type.name() + " was expected"});
  }
  for (const RowGroup& group : metadata.row_groups) {
    const size_t before = problems.size();
    check_chunk(group.chunks[static_cast<size_t>(number)], field.name, problems);
    if (problems.size() > before) return;
  }
}

}  // namespace

std::vector<Problem> find_problems(const FileMetadata& metadata, const columns::Schema& fields) {
  std::vector<Problem> problems;
  if (metadata.encrypted) problems.push_back({"encryption", "an encrypted file"});
  for (const columns::Field& field : fields) {
    if (!metadata.encrypted) check_field(metadata, field, problems);
  }
  return problems;
}

Scan::Scan(std::vector<ScanFile> files, columns::Schema fields, std::vector<RowGroupPlace> groups, memory::PoolPtr pool,
           const Parallel& parallel)
    : files_(std::move(files)), fields_(std::move(fields)), groups_(std::move(groups)), pool_(std::move(pool)) {
  for (const ScanFile& file : files_) {
    std::vector<int>& leaves = leaves_.emplace_back();
    for (const columns::Field& field : fields_) leaves.push_back(file.metadata->find(field.name));
  }
  for (size_t f = 0; f < fields_.size(); ++f) {
    std::vector<ColumnChunk> chunks;
    std::vector<StoredChunk> stored;
    for (int64_t g = 0; g < this->groups(); ++g) {
      chunks.push_back(part(g, f));
      stored.push_back({file(g).file.get(), chunks.back()});
    }
    Layout layout = choose_layout(fields_[f].type, chunks);
    ScanDictionary dictionary;
    if (fields_[f].type.is_string_like() && !chunks.empty()) {
      dictionary = unite_dictionaries(fields_[f].type, stored, pool_, parallel);
    }
    if (dictionary.values) {
      layout.like.encoding = columns::Encoding::dictionary;
      layout.like.dictionary = dictionary.values;
      layout.like.physical = dictionary.values->rows <= 256 ? columns::Physical::w1 : columns::Physical::w2;
    }
    layouts_.push_back(std::move(layout));
    dictionaries_.push_back(std::move(dictionary));
  }
}

const RowGroup& Scan::row_group(int64_t group) const {
  return file(group).metadata->row_groups[static_cast<size_t>(groups_[static_cast<size_t>(group)].group)];
}

ColumnChunk Scan::part(int64_t group, size_t field) const {
  const auto file_number = static_cast<size_t>(groups_[static_cast<size_t>(group)].file);
  const auto leaf = static_cast<size_t>(leaves_[file_number][field]);
  return {&files_[file_number].metadata->leaves[leaf], &row_group(group).chunks[leaf]};
}

Column Scan::read_column(int64_t group, size_t field, const std::function<void()>& between) const {
  ChunkInput input{part(group, field), {}, {}, between};
  const Chunk& place = *input.part.chunk;
  input.bytes = pool_->allocate(place.bytes, "scan_parquet");
  file(group).file->read(place.start, place.bytes, input.bytes.mutable_as());
  if (dictionaries_[field].values) {
    input.codes = dictionaries_[field].code_maps[static_cast<size_t>(group)].span<uint16_t>();
  }
  return decode_chunk(input, layouts_[field], pool_);
}

std::vector<Column> Scan::read(int64_t group, const std::function<void()>& between) const {
  std::vector<Column> columns;
  for (size_t f = 0; f < fields_.size(); ++f) {
    try {
      columns.push_back(read_column(group, f, between));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::compute) throw;
      fail(error.kind(),
           std::string(error.what()) + " (column \"" + fields_[f].name + "\" of " + file(group).file->path() + ")");
    }
  }
  return columns;
}

}  // namespace frazil::formats
