// Tables and dtypes. Columns move between Polars and us through the Arrow C stream.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bind.hpp"
#include "primitives/move.hpp"

namespace frazil::bind {

using columns::Batch;
using columns::Column;
using columns::Table;

namespace {

constexpr const char* kCapsule = "arrow_array_stream";

// The capsule keeps the structure; whoever reads it marks it as released.
nb::object stream_capsule(nb::handle object) {
  if (!nb::hasattr(object, "__arrow_c_stream__")) {
    throw nb::type_error("expected an object with __arrow_c_stream__");
  }
  return object.attr("__arrow_c_stream__")();
}

ArrowArrayStream* stream_in(nb::handle capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  if (stream == nullptr) throw nb::python_error();
  return stream;
}

void destroy_capsule(PyObject* capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kCapsule));
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

bool is_plain(const Column& column) {
  return column.encoding == columns::Encoding::plain &&
         std::all_of(column.children.begin(), column.children.end(), is_plain);
}

bool is_plain(const Table& table) {
  return std::all_of(table.batches.begin(), table.batches.end(), [](const Batch& batch) {
    return std::all_of(batch.columns.begin(), batch.columns.end(), [](const Column& c) { return is_plain(c); });
  });
}

std::shared_ptr<const Table> plain_table(const std::shared_ptr<const Table>& table, const memory::PoolPtr& pool) {
  if (is_plain(*table)) return table;
  auto plain = std::make_shared<Table>(*table);
  for (Batch& batch : plain->batches) {
    for (Column& column : batch.columns) column = primitives::decode(column, pool);
  }
  return plain;
}

using Mask = std::vector<uint64_t>;

// A mask has a bit per row and starts at bit 0 for each batch.
Mask mask_of(const std::vector<bool>& rows, int64_t first, int64_t count) {
  Mask mask(static_cast<size_t>((count + 63) / 64));
  for (int64_t i = 0; i < count; ++i) {
    mask[static_cast<size_t>(i / 64)] |= uint64_t{rows[static_cast<size_t>(first + i)]} << (i % 64);
  }
  return mask;
}

std::vector<bool> bools_of(const nb::object& mask) {
  if (!nb::isinstance<nb::bytes>(mask)) return nb::cast<std::vector<bool>>(mask);
  nb::bytes bytes = nb::cast<nb::bytes>(mask);
  const char* begin = bytes.c_str();
  return std::vector<bool>(begin, begin + bytes.size());
}

// Makes a table of the same schema by `move(batch, batches of the result)` for each batch.
template <class Move>
PythonTable move_batches(const PythonTable& self, Move move) {
  nb::gil_scoped_release unlocked;
  auto moved = std::make_shared<Table>();
  moved->schema = self.table->schema;
  for (const Batch& batch : self.table->batches) move(batch, &moved->batches);
  int64_t ordinal = 0;
  for (Batch& batch : moved->batches) {
    batch.ordinal = ordinal;
    ordinal += batch.rows;
  }
  return {std::move(moved), self.pool};
}

PythonTable head(const PythonTable& self, int64_t rows) {
  nb::gil_scoped_release unlocked;
  return {columns::head(self.table, rows), self.pool};
}

PythonTable select(const PythonTable& self, const std::vector<std::string>& names) {
  return {columns::select(*self.table, names), self.pool};
}

PythonTable filter(const PythonTable& self, const nb::object& mask) {
  std::vector<bool> rows = bools_of(mask);
  if (static_cast<int64_t>(rows.size()) != self.table->rows()) {
    fail(ErrorKind::shape,
         "expected a mask of " + std::to_string(self.table->rows()) + " rows, got " + std::to_string(rows.size()));
  }
  int64_t first = 0;
  return move_batches(self, [&](const Batch& batch, std::vector<Batch>* out) {
    Mask bits = mask_of(rows, first, batch.rows);
    Batch kept;
    kept.rows = std::count(rows.begin() + first, rows.begin() + first + batch.rows, true);
    for (const Column& column : batch.columns) {
      kept.columns.push_back(primitives::filter(column, bits.data(), kept.rows, self.pool));
    }
    first += batch.rows;
    out->push_back(std::move(kept));
  });
}

PythonTable slice(const PythonTable& self, int64_t start, int64_t rows) {
  if (start < 0 || rows < 0 || start > self.table->rows() - rows) {
    fail(ErrorKind::shape, "the slice does not lie in the table");
  }
  int64_t first = 0;
  return move_batches(self, [&](const Batch& batch, std::vector<Batch>* out) {
    int64_t begin = std::clamp<int64_t>(start - first, 0, batch.rows);
    int64_t end = std::clamp<int64_t>(start + rows - first, 0, batch.rows);
    first += batch.rows;
    out->push_back(columns::slice(batch, begin, end - begin));
  });
}

Batch one_batch(const Table& table, const memory::PoolPtr& pool) {
  Batch all;
  all.rows = table.rows();
  for (size_t i = 0; i < table.schema.size(); ++i) {
    std::vector<Column> pieces;
    for (const Batch& batch : table.batches) pieces.push_back(batch.columns[i]);
    all.columns.push_back(pieces.empty() ? primitives::nulls(table.schema[i].type, 0, pool)
                                         : primitives::concatenate(pieces, pool));
  }
  return all;
}

PythonTable table_of(const PythonTable& self, Batch batch) {
  auto table = std::make_shared<Table>();
  table->schema = self.table->schema;
  table->batches.push_back(std::move(batch));
  return {std::move(table), self.pool};
}

PythonTable concatenate(const PythonTable& self) {
  nb::gil_scoped_release unlocked;
  return table_of(self, one_batch(*self.table, self.pool));
}

PythonTable gather(const PythonTable& self, const std::vector<std::optional<uint32_t>>& indices) {
  nb::gil_scoped_release unlocked;
  Batch all = one_batch(*self.table, self.pool);
  std::vector<uint32_t> rows;
  for (const std::optional<uint32_t>& index : indices) {
    if (index && *index >= all.rows) fail(ErrorKind::compute, "gather indices are out of bounds");
    rows.push_back(index.value_or(primitives::kNoRow));
  }
  all.rows = static_cast<int64_t>(rows.size());
  for (Column& column : all.columns) column = primitives::gather(column, rows, self.pool);
  return table_of(self, std::move(all));
}

std::vector<std::string> column_names(const PythonTable& self) {
  std::vector<std::string> names;
  for (const columns::Field& field : self.table->schema) names.push_back(field.name);
  return names;
}

uintptr_t address_of(const memory::Buffer& buffer) { return reinterpret_cast<uintptr_t>(buffer.as()); }

void add_addresses(const Column& column, std::vector<uintptr_t>* out) {
  out->push_back(address_of(column.validity));
  out->push_back(address_of(column.values));
  for (const memory::Buffer& characters : column.characters) out->push_back(address_of(characters));
  for (const Column& child : column.children) add_addresses(child, out);
}

// Per batch and column: validity, values and characters of the column, then of its children; 0 for none.
std::vector<std::vector<std::vector<uintptr_t>>> buffer_addresses(const PythonTable& self) {
  std::vector<std::vector<std::vector<uintptr_t>>> all;
  for (const Batch& batch : self.table->batches) {
    std::vector<std::vector<uintptr_t>>& of_batch = all.emplace_back();
    for (const Column& column : batch.columns) add_addresses(column, &of_batch.emplace_back());
  }
  return all;
}

std::vector<std::pair<std::string, columns::DataType>> schema_of(nb::handle object) {
  nb::object capsule = stream_capsule(object);
  ArrowArrayStream* stream = stream_in(capsule);
  std::vector<std::pair<std::string, columns::DataType>> schema;
  nb::gil_scoped_release unlocked;
  for (columns::Field& field : columns::import_schema(stream)) schema.emplace_back(field.name, field.type);
  return schema;
}

}  // namespace

std::shared_ptr<const Table> import_table(nb::handle object, const memory::PoolPtr& pool) {
  nb::object capsule = stream_capsule(object);
  ArrowArrayStream* stream = stream_in(capsule);
  nb::gil_scoped_release unlocked;
  return std::make_shared<const Table>(columns::import_stream(stream, pool));
}

nb::object export_table(const std::shared_ptr<const Table>& table, const memory::PoolPtr& pool) {
  auto stream = std::make_unique<ArrowArrayStream>();
  {
    nb::gil_scoped_release unlocked;
    columns::export_stream(plain_table(columns::head(table, table->rows()), pool), stream.get());
  }
  PyObject* capsule = PyCapsule_New(stream.get(), kCapsule, destroy_capsule);
  if (capsule == nullptr) {
    stream->release(stream.get());
    throw nb::python_error();
  }
  stream.release();
  return nb::steal(capsule);
}

void bind_columns(nb::module_& module) {
  nb::class_<columns::DataType>(module, "DataType", "A dtype of Polars with all its parameters.")
      .def(
          "__eq__", [](const columns::DataType& a, const columns::DataType& b) { return a == b; }, nb::is_operator())
      .def("__hash__", [](const columns::DataType& type) { return static_cast<int64_t>(type.id); })
      .def("__str__", &columns::DataType::name)
      .def("__repr__", &columns::DataType::name);

  nb::class_<PythonTable>(module, "Table", "Columns with a schema, in one or more batches.")
      .def(
          "__init__",
          [](PythonTable* self, nb::object stream) {
            memory::PoolPtr pool = memory::Pool::create(0);
            new (self) PythonTable{import_table(stream, pool), pool};
          },
          nb::arg("stream"), "Reads any object with __arrow_c_stream__; buffers are shared, not copied.")
      .def(
          "__arrow_c_stream__",
          [](const PythonTable& self, const nb::object&) { return export_table(self.table, self.pool); },
          nb::arg("requested_schema") = nb::none(), "A stream of the batches; other schemas than ours are not offered.")
      .def_prop_ro("rows", [](const PythonTable& self) { return self.table->rows(); })
      .def_prop_ro("column_names", column_names)
      .def_prop_ro("is_on_device", [](const PythonTable& self) { return static_cast<bool>(self.table->to_host); })
      .def("head", head, nb::arg("rows"), "The first rows, in the host's memory.")
      .def("select", select, nb::arg("names"), "Some columns; without any the number of rows remains.")
      .def("filter", filter, nb::arg("mask"), "Rows whose entry in the mask (bools, or a byte per row) is true.")
      .def("gather", gather, nb::arg("indices"), "The rows with these numbers; None gives nulls.")
      .def("slice", slice, nb::arg("start"), nb::arg("rows"))
      .def("concatenate", concatenate, "All batches as one.")
      .def("buffer_addresses", buffer_addresses,
           "Per batch and column, where its validity, values, characters and children lie; 0 for none.");

  module.def("schema_of", schema_of, nb::arg("stream"), "Names and dtypes of a stream, whose rows are not read.");
}

}  // namespace frazil::bind
