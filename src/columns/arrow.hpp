// The Arrow C data and stream interfaces: how columns come from and go to Polars, without copying fixed-width data or
// string views. Structs as frozen by https://arrow.apache.org/docs/format/CDataInterface.html.
#pragma once

#include <cstdint>
#include <memory>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "memory/pool.hpp"

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif
}

namespace frazil::columns {

// Takes the stream over (it is released) and reads it to its end. Throws unsupported for what has no place here
// (Object columns), compute where the stream fails. What Arrow lays out otherwise than we do (strings with offsets,
// 32-bit list offsets, misaligned values) is copied and charged to `pool`, if there is one. A stream of a type other
// than struct gives a table of one column.
FRAZIL_API Table import_stream(ArrowArrayStream* stream, memory::PoolPtr pool = nullptr);

// Takes the stream over and reads its schema alone.
FRAZIL_API Schema import_schema(ArrowArrayStream* stream);

// A stream over the table, one array per batch; it owns what it needs. All columns are plain (primitives::decode).
FRAZIL_API void export_stream(std::shared_ptr<const Table> table, ArrowArrayStream* out);

// The dtype of an Arrow field, and the Arrow field of ours; the caller releases `out`.
FRAZIL_API DataType import_type(const ArrowSchema& schema);
FRAZIL_API void export_field(const Field& field, ArrowSchema* out);

}  // namespace frazil::columns
