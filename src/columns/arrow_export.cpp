// Columns become arrays of the Arrow C interface that share their buffers.
#include <cerrno>
#include <limits>

#include "base/error.hpp"
#include "columns/arrow.hpp"
#include "columns/bits.hpp"

namespace frazil::columns {

namespace {

constexpr const char* kWho = "export of an Arrow array";

// What an exported array points into.
struct ExportedArray {
  Column column;  // its buffers keep the memory alive
  std::vector<const void*> buffers;
  std::vector<int64_t> sizes;  // of the characters of views
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  ArrowArray dictionary{};

  ~ExportedArray() {
    // Whoever moved a child out has set its release to null.
    for (ArrowArray& child : children) release_array(&child);
    release_array(&dictionary);
  }
  static void release_array(ArrowArray* array) {
    if (array->release != nullptr) array->release(array);
  }
};

void release_exported(ArrowArray* array) {
  delete static_cast<ExportedArray*>(array->private_data);
  array->release = nullptr;
}

int64_t count_nulls(const Column& column) {
  if (column.type.id == TypeId::null) return column.rows;
  if (!column.validity) return 0;
  return column.rows - count_ones(column.validity.as<uint8>(), column.offset, column.rows);
}

// Arrow applies the offset of a struct or array to its children, ours are cut already: so the bitmap starts at its row
// 0.
void start_validity_at_zero(Column* column) {
  if (column->validity && column->offset % 8 == 0) {
    int64_t skipped = column->offset / 8;
    column->validity = column->validity.slice(skipped, column->validity.bytes() - skipped);
  } else if (column->validity) {
    memory::Buffer moved = memory::Pool::create(0)->allocate(words_for_bits(column->rows) * 8, kWho);
    BitAppender bits(moved.mutable_as<uint64>());
    bits.append_all(column->validity.as<uint8>(), column->offset, column->rows);
    bits.finish();
    column->validity = std::move(moved);
  }
  column->offset = 0;
}

// Arrow's maps have 32-bit offsets where ours have 64. Offsets before the first row are not looked at.
void narrow_offsets(Column* column) {
  const int64_t* in = column->values.as<int64_t>() + column->offset;
  int64_t first = in[0], count = in[column->rows] - first;
  if (count > std::numeric_limits<int32_t>::max()) {
    fail(ErrorKind::compute, "a batch of maps has " + std::to_string(count) + " entries, Arrow allows 2147483647");
  }
  memory::Buffer narrow = memory::Pool::create(0)->allocate_zeroed((column->offset + column->rows + 1) * 4, kWho);
  int32_t* out = narrow.mutable_as<int32_t>() + column->offset;
  for (int64_t row = 0; row <= column->rows; ++row) out[row] = static_cast<int32_t>(in[row] - first);
  column->children[0] = slice(column->children[0], first, count);
  column->values = std::move(narrow);
}

void export_array(Column column, ArrowArray* out);

void add_buffers(ExportedArray* exported) {
  const Column& column = exported->column;
  std::vector<const void*>& buffers = exported->buffers;
  buffers.push_back(column.validity.as());
  if (column.physical == Physical::none) return;
  buffers.push_back(column.values.as());
  if (column.physical != Physical::view) return;
  for (const memory::Buffer& characters : column.characters) {
    buffers.push_back(characters.as());
    exported->sizes.push_back(characters.bytes());
  }
  buffers.push_back(exported->sizes.data());
}

void add_children(ExportedArray* exported) {
  exported->children.resize(exported->column.children.size());
  for (size_t i = 0; i < exported->children.size(); ++i) {
    export_array(exported->column.children[i], &exported->children[i]);
    exported->pointers.push_back(&exported->children[i]);
  }
}

void export_array(Column column, ArrowArray* out) {
  if (column.encoding != Encoding::plain)
    fail(ErrorKind::internal, "only plain columns can be exported; decode it first");
  int64_t null_count = count_nulls(column);
  if (null_count == 0 || column.type.id == TypeId::null) column.validity = {};
  if (column.physical == Physical::none) start_validity_at_zero(&column);
  if (column.type.id == TypeId::map) narrow_offsets(&column);
  auto exported = std::make_unique<ExportedArray>();
  exported->column = std::move(column);
  add_buffers(exported.get());
  add_children(exported.get());
  if (exported->column.dictionary) export_array(*exported->column.dictionary, &exported->dictionary);
  *out = ArrowArray{};
  out->length = exported->column.rows;
  out->null_count = null_count;
  out->offset = exported->column.offset;
  out->n_buffers = exported->column.type.id == TypeId::null ? 0 : static_cast<int64_t>(exported->buffers.size());
  out->buffers = exported->buffers.data();
  out->n_children = static_cast<int64_t>(exported->children.size());
  out->children = exported->pointers.empty() ? nullptr : exported->pointers.data();
  out->dictionary = exported->column.dictionary ? &exported->dictionary : nullptr;
  out->release = release_exported;
  out->private_data = exported.release();
}

DataType struct_of(const Schema& schema) {
  DataType type = simple(TypeId::structure);
  type.children = std::make_shared<const std::vector<Field>>(schema);
  return type;
}

struct ExportedStream {
  std::shared_ptr<const Table> table;
  size_t next = 0;
  std::string last_error;

  // No exception may cross the C interface.
  template <class Work>
  int guard(Work work) {
    try {
      work();
      return 0;
    } catch (const Error& error) {
      last_error = error.what();
      return error.kind() == ErrorKind::out_of_memory ? ENOMEM : EINVAL;
    } catch (const std::exception& error) {
      last_error = error.what();
      return ENOMEM;
    }
  }
};

ExportedStream* exported(ArrowArrayStream* stream) { return static_cast<ExportedStream*>(stream->private_data); }

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return exported(stream)->guard([&] { export_field({"", struct_of(exported(stream)->table->schema)}, out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  ExportedStream& state = *exported(stream);
  *out = ArrowArray{};
  return state.guard([&] {
    if (state.next == state.table->batches.size()) return;
    const Batch& batch = state.table->batches[state.next++];
    Column around;
    around.type = simple(TypeId::structure);
    around.rows = batch.rows;
    around.children = batch.columns;
    export_array(std::move(around), out);
  });
}

const char* get_last_error(ArrowArrayStream* stream) { return exported(stream)->last_error.c_str(); }

void release_stream(ArrowArrayStream* stream) {
  delete exported(stream);
  stream->release = nullptr;
}

}  // namespace

void export_stream(std::shared_ptr<const Table> table, ArrowArrayStream* out) {
  *out = ArrowArrayStream{get_schema, get_next, get_last_error, release_stream, new ExportedStream{std::move(table)}};
}

}  // namespace frazil::columns
