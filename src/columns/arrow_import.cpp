// Arrays and streams of the Arrow C interface become columns over the same memory.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "columns/arrow.hpp"
#include "columns/bits.hpp"

namespace frazil::columns {

namespace {

constexpr const char* kWho = "import of an Arrow array";
constexpr int64_t kRowsMax = int64_t{1} << 48;  // keeps products with the widest value far from overflow
constexpr int64_t kZeroOffset[1] = {0};

[[noreturn]] void refuse(const std::string& why) { fail(ErrorKind::compute, "the Arrow stream is broken: " + why); }

// The consumer of a C structure copies it and marks the original as released.
std::shared_ptr<ArrowArray> take(ArrowArray* array) {
  if (array == nullptr || array->release == nullptr) refuse("an array is released");
  auto release = [](ArrowArray* owned) {
    if (owned->release != nullptr) owned->release(owned);
    delete owned;
  };
  std::shared_ptr<ArrowArray> owner(new ArrowArray(*array), release);
  array->release = nullptr;
  return owner;
}

struct OwnedSchema : ArrowSchema {
  OwnedSchema() : ArrowSchema{} {}
  OwnedSchema(const OwnedSchema&) = delete;
  ~OwnedSchema() {
    if (release != nullptr) release(this);
  }
};

class OwnedStream {
 public:
  explicit OwnedStream(ArrowArrayStream* stream) {
    if (stream == nullptr || stream->release == nullptr) refuse("it is released");
    stream_ = *stream;
    stream->release = nullptr;
    if (stream_.get_schema == nullptr || stream_.get_next == nullptr) {
      stream_.release(&stream_);
      refuse("it lacks a function");
    }
  }
  OwnedStream(const OwnedStream&) = delete;
  ~OwnedStream() { stream_.release(&stream_); }

  void read_schema(OwnedSchema* schema) {
    if (int code = stream_.get_schema(&stream_, schema); code != 0) fail_with(code);
    if (schema->release == nullptr || schema->format == nullptr) refuse("its schema is released");
  }
  // Nothing at the end.
  std::shared_ptr<ArrowArray> next() {
    ArrowArray array{};
    if (int code = stream_.get_next(&stream_, &array); code != 0) fail_with(code);
    return array.release != nullptr ? take(&array) : nullptr;
  }

 private:
  [[noreturn]] void fail_with(int code) {
    const char* message = stream_.get_last_error != nullptr ? stream_.get_last_error(&stream_) : nullptr;
    fail(ErrorKind::compute,
         message != nullptr ? message : "the Arrow stream failed with code " + std::to_string(code));
  }
  ArrowArrayStream stream_;
};

// Columns over the memory of one array, which `owner` keeps.
class ArrayImporter {
 public:
  ArrayImporter(std::shared_ptr<void> owner, memory::PoolPtr pool) : owner_(std::move(owner)), pool_(std::move(pool)) {}

  Column import(const DataType& type, const ArrowSchema& schema, const ArrowArray& array) {
    check_lengths(array);
    Column column;
    column.type = type;
    column.rows = array.length;
    column.offset = array.offset;
    column.physical = plain_physical(type);
    if (type.id == TypeId::null) {
      column.offset = 0;
      column.validity = pool_->allocate_zeroed(words_for_bits(column.rows) * 8, kWho);
      return column;
    }
    column.validity = validity(array);
    import_values(schema, array, &column);
    return column;
  }

 private:
  static void check_lengths(const ArrowArray& array) {
    if (array.length < 0 || array.offset < 0 || array.length > kRowsMax || array.offset > kRowsMax) {
      refuse("an array has a length of " + std::to_string(array.length) + " and an offset of " +
             std::to_string(array.offset));
    }
    if (array.n_buffers < 0 || array.n_children < 0 || (array.n_buffers > 0 && array.buffers == nullptr) ||
        (array.n_children > 0 && array.children == nullptr)) {
      refuse("an array has no list of buffers or children");
    }
  }

  static void check_counts(const ArrowArray& array, int64_t buffers, int64_t children) {
    if (array.n_buffers != buffers || array.n_children != children) {
      refuse("an array has " + std::to_string(array.n_buffers) + " buffers and " + std::to_string(array.n_children) +
             " children where " + std::to_string(buffers) + " and " + std::to_string(children) + " are due");
    }
  }

  static const ArrowArray& child(const ArrowArray& array, int64_t index) {
    const ArrowArray* found = array.children[index];
    if (found == nullptr || found->release == nullptr) refuse("a child is missing");
    return *found;
  }

  memory::Buffer share(const void* data, int64_t bytes) const {
    if (bytes == 0) return {};
    if (data == nullptr) refuse("a buffer is missing");
    return {owner_, const_cast<void*>(data), bytes};
  }

  // Loads of values that are not aligned are undefined, so such arrays are copied.
  memory::Buffer share_aligned(const void* data, int64_t bytes, uintptr_t alignment) {
    memory::Buffer shared = share(data, bytes);
    if (reinterpret_cast<uintptr_t>(shared.as()) % alignment == 0) return shared;
    memory::Buffer copy = pool_->allocate(bytes, kWho);
    std::memcpy(copy.mutable_as(), shared.as(), static_cast<size_t>(bytes));
    return copy;
  }

  memory::Buffer validity(const ArrowArray& array) const {
    if (array.n_buffers < 1) refuse("an array has no buffers");
    if (array.null_count == 0 || array.length == 0) return {};
    if (array.buffers[0] == nullptr && array.null_count < 0) return {};
    return share(array.buffers[0], bytes_for_bits(array.offset + array.length));
  }

  void import_values(const ArrowSchema& schema, const ArrowArray& array, Column* column) {
    switch (column->type.id) {
      case TypeId::string:
      case TypeId::binary: return import_text(schema, array, column);
      case TypeId::decimal: return import_decimal(schema, array, column);
      case TypeId::categorical:
      case TypeId::enumeration: return import_codes(schema, array, column);
      case TypeId::list:
      case TypeId::map: return import_list(schema, array, column);
      case TypeId::array: return import_array(schema, array, column);
      case TypeId::structure: return import_struct(schema, array, column);
      default: return import_fixed(array, column);
    }
  }

  void import_fixed(const ArrowArray& array, Column* column) {
    check_counts(array, 2, 0);
    int64_t end = column->offset + column->rows;
    if (column->physical == Physical::bits) {
      column->values = share(array.buffers[1], bytes_for_bits(end));
      return;
    }
    int width = bytes_per_row(column->physical);
    column->values = share_aligned(array.buffers[1], end * width, static_cast<uintptr_t>(width));
  }

  // Decimals of 32 and 64 bits are narrow columns as they lie.
  void import_decimal(const ArrowSchema& schema, const ArrowArray& array, Column* column) {
    std::string_view format = schema.format;
    if (format.ends_with(",32")) column->physical = Physical::w4;
    if (format.ends_with(",64")) column->physical = Physical::w8;
    // "d:18,64" is a scale, "d:18,2,64" a width.
    if (std::count(format.begin(), format.end(), ',') < 2) column->physical = Physical::w16;
    if (column->physical != Physical::w16) column->encoding = Encoding::narrow;
    import_fixed(array, column);
  }

  void import_codes(const ArrowSchema& schema, const ArrowArray& array, Column* column) {
    import_fixed(array, column);
    if (array.dictionary == nullptr || array.dictionary->release == nullptr) refuse("a dictionary is missing");
    Column categories = import(simple(TypeId::string), *schema.dictionary, *array.dictionary);
    const std::shared_ptr<const Column>& known = column->type.categories;
    if (!known) {
      column->dictionary = std::make_shared<const Column>(std::move(categories));
      return;
    }
    if (!is_prefix(categories, *known)) refuse("the values of an Enum are not those of its dtype");
    column->dictionary = known;
  }

  void import_text(const ArrowSchema& schema, const ArrowArray& array, Column* column) {
    switch (schema.format[0]) {
      case 'v': return import_views(array, column);
      case 'u':
      case 'z': return import_offset_text<int32_t>(array, column);
      default: return import_offset_text<int64_t>(array, column);
    }
  }

  // The last buffer holds the sizes of those with characters.
  void import_views(const ArrowArray& array, Column* column) {
    if (array.n_buffers < 3) refuse("a view array has too few buffers");
    check_counts(array, array.n_buffers, 0);
    int64_t bytes = (column->offset + column->rows) * static_cast<int64_t>(sizeof(View));
    column->values = share_aligned(array.buffers[1], bytes, alignof(uint64));
    int64_t count = array.n_buffers - 3;
    const int64_t* sizes = static_cast<const int64_t*>(array.buffers[array.n_buffers - 1]);
    if (count > 0 && sizes == nullptr) refuse("a view array lacks the sizes of its buffers");
    for (int64_t i = 0; i < count; ++i) {
      if (sizes[i] < 0) refuse("a buffer has a negative size");
      column->characters.push_back(share(array.buffers[2 + i], sizes[i]));
    }
  }

  template <class Offset>
  void import_offset_text(const ArrowArray& array, Column* column) {
    check_counts(array, 3, 0);
    int64_t rows = column->rows;
    column->values = pool_->allocate_zeroed((column->offset + rows) * static_cast<int64_t>(sizeof(View)), kWho);
    if (rows == 0) return;
    const auto* offsets = static_cast<const Offset*>(array.buffers[1]);
    if (offsets == nullptr) refuse("a buffer is missing");
    offsets += column->offset;
    check_offsets(offsets, rows, std::numeric_limits<int64_t>::max());
    memory::Buffer characters = share(array.buffers[2], offsets[rows]);
    View* views = column->values.mutable_as<View>() + column->offset;
    ViewMaker maker(std::move(characters));
    for (int64_t row = 0; row < rows; ++row) views[row] = maker.make(offsets[row], offsets[row + 1]);
    column->characters = maker.windows();
  }

  // Makes views over text of any size; offsets in views have 31 bits, so the text is cut into windows.
  class ViewMaker {
   public:
    explicit ViewMaker(memory::Buffer text) : text_(std::move(text)) {}
    View make(int64_t begin, int64_t end) {
      int64_t length = end - begin;
      if (length > kWindowMax) refuse("a text has more than 2 GiB");
      View view{static_cast<int32>(length), {}, 0, 0};
      const char* characters = text_.as<char>() + begin;
      if (length <= View::kInline) {
        if (length > 0) {
          std::memcpy(reinterpret_cast<char*>(&view) + sizeof(view.length), characters, static_cast<size_t>(length));
        }
        return view;
      }
      if (windows_.empty() || end - window_begin_ > kWindowMax) open_window(begin);
      std::memcpy(view.prefix, characters, sizeof(view.prefix));
      view.buffer = static_cast<int32>(windows_.size()) - 1;
      view.offset = static_cast<int32>(begin - window_begin_);
      return view;
    }
    const std::vector<memory::Buffer>& windows() const { return windows_; }

   private:
    static constexpr int64_t kWindowMax = std::numeric_limits<int32_t>::max();
    void open_window(int64_t begin) {
      window_begin_ = begin;
      windows_.push_back(text_.slice(begin, std::min(kWindowMax, text_.bytes() - begin)));
    }
    memory::Buffer text_;
    int64_t window_begin_ = 0;
    std::vector<memory::Buffer> windows_;
  };

  template <class Offset>
  static void check_offsets(const Offset* offsets, int64_t rows, int64_t end) {
    bool rising = offsets[0] >= 0 && offsets[rows] <= end;
    for (int64_t row = 0; row < rows; ++row) rising &= offsets[row] <= offsets[row + 1];
    if (!rising) refuse("offsets do not rise or pass the end of their child");
  }

  void import_list(const ArrowSchema& schema, const ArrowArray& array, Column* column) {
    check_counts(array, 2, 1);
    const DataType& item = column->type.children->front().type;
    column->children.push_back(import(item, *schema.children[0], child(array, 0)));
    if (column->rows == 0) {  // Arrow allows the one offset to be left out
      column->offset = 0;
      column->values = memory::Buffer(nullptr, const_cast<int64_t*>(kZeroOffset), sizeof(kZeroOffset));
      return;
    }
    bool wide = std::string_view(schema.format) == "+L";
    column->values = wide ? offsets_of<int64_t>(array) : offsets_of<int32_t>(array);
    check_offsets(column->values.as<int64_t>() + column->offset, column->rows, column->children[0].rows);
  }

  template <class Offset>
  memory::Buffer offsets_of(const ArrowArray& array) {
    int64_t count = array.offset + array.length + 1;
    memory::Buffer offsets =
        share_aligned(array.buffers[1], count * static_cast<int64_t>(sizeof(Offset)), sizeof(Offset));
    if constexpr (sizeof(Offset) == 8) return offsets;
    memory::Buffer wide = pool_->allocate(count * 8, kWho);
    for (int64_t i = 0; i < count; ++i) wide.mutable_as<int64_t>()[i] = offsets.as<Offset>()[i];
    return wide;
  }

  void import_array(const ArrowSchema& schema, const ArrowArray& array, Column* column) {
    check_counts(array, 1, 1);
    int64_t width = column->type.width;
    Column values = import(column->type.children->front().type, *schema.children[0], child(array, 0));
    int64_t end = 0;
    if (__builtin_mul_overflow(column->offset + column->rows, width, &end) || end > values.rows) {
      refuse("the child of an array is too short");
    }
    column->children.push_back(slice(values, column->offset * width, column->rows * width));
  }

  void import_struct(const ArrowSchema& schema, const ArrowArray& array, Column* column) {
    const std::vector<Field>& fields = *column->type.children;
    check_counts(array, 1, static_cast<int64_t>(fields.size()));
    for (size_t i = 0; i < fields.size(); ++i) {
      Column values = import(fields[i].type, *schema.children[i], child(array, static_cast<int64_t>(i)));
      if (values.rows < column->offset + column->rows) refuse("the child of a struct is too short");
      column->children.push_back(slice(values, column->offset, column->rows));
    }
  }

  std::shared_ptr<void> owner_;
  memory::PoolPtr pool_;
};

// A row that is null in the struct around its columns is null in each of them.
void add_nulls(const Column& around, Column* column, const memory::PoolPtr& pool) {
  if (!around.validity) return;
  memory::Buffer merged = pool->allocate(words_for_bits(column->offset + column->rows) * 8, kWho);
  BitAppender bits(merged.mutable_as<uint64>());
  bits.append_repeated(false, column->offset);
  for_each_word(around.validity.as<uint8>(), around.offset, around.rows, [&](uint64 valid, int64_t row, int count) {
    if (column->validity) valid &= load_bits(column->validity.as<uint8>(), column->offset + row, count);
    bits.append(valid, count);
  });
  bits.finish();
  column->validity = std::move(merged);
}

// Reads the arrays of one stream as batches. Columns of a struct are moved out of it, so that each is given back when
// its own last buffer goes.
class StreamReader {
 public:
  StreamReader(ArrowArrayStream* stream, memory::PoolPtr pool)
      : stream_(stream), pool_(pool ? std::move(pool) : memory::Pool::create(0)) {
    stream_.read_schema(&schema_);
    type_ = import_type(schema_);
    is_struct_ = type_.id == TypeId::structure;
  }

  Schema schema() const {
    if (is_struct_) return *type_.children;
    return {{schema_.name != nullptr ? schema_.name : "", type_}};
  }

  std::optional<Batch> next() {
    std::shared_ptr<ArrowArray> array = stream_.next();
    if (!array) return std::nullopt;
    Batch batch;
    if (is_struct_) {
      batch = read_struct(array);
    } else {
      batch.columns.push_back(ArrayImporter(array, pool_).import(type_, schema_, *array));
      batch.rows = array->length;
    }
    batch.ordinal = rows_read_;
    rows_read_ += batch.rows;
    return batch;
  }

 private:
  Batch read_struct(const std::shared_ptr<ArrowArray>& array) {
    if (array->n_children != static_cast<int64_t>(type_.children->size())) refuse("a batch lacks columns");
    ArrowArray around_array = *array;
    around_array.n_children = 0;
    DataType no_fields = simple(TypeId::structure);
    no_fields.children = std::make_shared<const std::vector<Field>>();
    Column around = ArrayImporter(array, pool_).import(no_fields, schema_, around_array);
    Batch batch;
    batch.rows = around.rows;
    for (int64_t i = 0; i < array->n_children; ++i) batch.columns.push_back(read_column(*array, i, around));
    return batch;
  }

  Column read_column(const ArrowArray& array, int64_t index, const Column& around) {
    if (array.children == nullptr) refuse("a batch lacks columns");
    std::shared_ptr<ArrowArray> child = take(array.children[index]);
    const DataType& type = (*type_.children)[static_cast<size_t>(index)].type;
    Column column = ArrayImporter(child, pool_).import(type, *schema_.children[index], *child);
    if (column.rows < around.offset + around.rows) refuse("a column is too short");
    column = slice(column, around.offset, around.rows);
    add_nulls(around, &column, pool_);
    return column;
  }

  OwnedSchema schema_;
  OwnedStream stream_;
  memory::PoolPtr pool_;
  DataType type_;
  bool is_struct_ = false;
  int64_t rows_read_ = 0;
};

// Polars hands out the categories anew with each batch; one pointer for all spares comparisons later.
void share_categories(Table* table, size_t index) {
  std::shared_ptr<const Column> longest;
  for (const Batch& batch : table->batches) {
    const auto& dictionary = batch.columns[index].dictionary;
    if (!longest || dictionary->rows > longest->rows) longest = dictionary;
  }
  for (Batch& batch : table->batches) {
    auto& dictionary = batch.columns[index].dictionary;
    if (dictionary != longest && is_prefix(*dictionary, *longest)) dictionary = longest;
  }
}

}  // namespace

Table import_stream(ArrowArrayStream* stream, memory::PoolPtr pool) {
  StreamReader reader(stream, std::move(pool));
  Table table;
  table.schema = reader.schema();
  while (std::optional<Batch> batch = reader.next()) table.batches.push_back(std::move(*batch));
  for (size_t i = 0; i < table.schema.size(); ++i) {
    if (table.schema[i].type.id == TypeId::categorical) share_categories(&table, i);
  }
  return table;
}

Schema import_schema(ArrowArrayStream* stream) { return StreamReader(stream, nullptr).schema(); }

}  // namespace frazil::columns
