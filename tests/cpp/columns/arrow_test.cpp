// Streams that lie about themselves end in an Error. Honest ones are tested with Polars, in tests/python.
#include "columns/arrow.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "base/error.hpp"

namespace frazil::columns {
namespace {

void forget(ArrowSchema* schema) { schema->release = nullptr; }
void forget(ArrowArray* array) { array->release = nullptr; }

// One batch with one column, open to be spoilt. Counts the releases of what it hands out.
struct Source {
  ArrowSchema schema{}, column_schema{}, item_schema{};
  ArrowArray array{}, column{}, item{};
  ArrowSchema* schema_children[1] = {&column_schema};
  ArrowSchema* item_schemas[1] = {&item_schema};
  ArrowArray* array_children[1] = {&column};
  ArrowArray* items[1] = {&item};
  int64_t values[4] = {0, 1, 2, 3};
  int64_t sizes[1] = {8};
  const void* no_buffers[1] = {nullptr};
  const void* buffers[4] = {nullptr, values, nullptr, nullptr};
  bool sent = false;
  int code = 0;
  int released = 0;

  Source() {
    column_schema = {"l", "x", nullptr, 2, 0, nullptr, nullptr, forget, nullptr};
    item_schema = {"l", "item", nullptr, 2, 0, nullptr, nullptr, forget, nullptr};
    schema = {"+s", "", nullptr, 0, 1, schema_children, nullptr, forget, nullptr};
    column = {3, 0, 0, 2, 0, buffers, nullptr, nullptr, forget, nullptr};
    item = {3, 0, 0, 2, 0, buffers, nullptr, nullptr, forget, nullptr};
    array = {3, 0, 0, 1, 1, no_buffers, array_children, nullptr, forget, nullptr};
  }

  ArrowArrayStream stream() {
    auto self = [](ArrowArrayStream* s) { return static_cast<Source*>(s->private_data); };
    static auto source = self;
    return {[](ArrowArrayStream* s, ArrowSchema* out) {
              *out = source(s)->schema;
              return source(s)->code;
            },
            [](ArrowArrayStream* s, ArrowArray* out) {
              *out = source(s)->sent ? ArrowArray{} : source(s)->array;
              source(s)->sent = true;
              return 0;
            },
            [](ArrowArrayStream*) -> const char* { return nullptr; },
            [](ArrowArrayStream* s) {
              ++source(s)->released;
              s->release = nullptr;
            },
            this};
  }

  Table read() {
    ArrowArrayStream handed_over = stream();
    return import_stream(&handed_over);
  }
  // As a list of the values.
  void make_list() {
    column_schema.format = "+L";
    column_schema.n_children = 1;
    column_schema.children = item_schemas;
    column.n_children = 1;
    column.children = items;
  }
  void make_views(int64_t n_buffers) {
    column_schema.format = "vu";
    column.n_buffers = n_buffers;
    column.length = 1;
    array.length = 1;
  }
};

void expect_error(const std::function<void(Source&)>& spoil, ErrorKind kind = ErrorKind::compute) {
  Source source;
  spoil(source);
  try {
    source.read();
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
  }
  EXPECT_EQ(source.released, 1);
}

TEST(ArrowImport, AnHonestSourceIsReadWithoutACopy) {
  Source source;
  Table table = source.read();
  ASSERT_EQ(table.rows(), 3);
  EXPECT_EQ(table.batches[0].columns[0].values.as<int64_t>(), source.values);
  EXPECT_EQ(source.released, 1);
}

TEST(ArrowImport, AReleasedStreamIsAnError) {
  ArrowArrayStream released{};
  EXPECT_THROW(import_stream(&released), Error);
  EXPECT_THROW(import_stream(nullptr), Error);
}

TEST(ArrowImport, BrokenSchemasAreErrors) {
  expect_error([](Source& s) { s.code = 5; });
  expect_error([](Source& s) { s.schema.release = nullptr; });
  expect_error([](Source& s) { s.schema.format = nullptr; });
  expect_error([](Source& s) { s.schema.n_children = -1; });
  expect_error([](Source& s) { s.schema.children = nullptr; });
  expect_error([](Source& s) { s.schema_children[0] = nullptr; });
  expect_error([](Source& s) { s.column_schema.format = nullptr; });
  expect_error([](Source& s) {
    s.make_list();
    s.column_schema.n_children = 0;
  });
}

TEST(ArrowImport, UnknownFormatsAreUnsupported) {
  for (const char* format :
       {"w:8", "w:3", "d:", "d:5", "d:5,2,256", "d:99,2", "ts", "tsx:", "tDs", "+r", "+vl", "+ud:1", ""}) {
    expect_error([=](Source& s) { s.column_schema.format = format; }, ErrorKind::unsupported);
  }
  expect_error(
      [](Source& s) {
        s.make_list();
        s.column_schema.format = "+w:-1";
      },
      ErrorKind::unsupported);
  expect_error(
      [](Source& s) {
        s.make_list();
        s.column_schema.format = "+w:x";
      },
      ErrorKind::unsupported);
}

TEST(ArrowImport, EndlessNestingIsUnsupported) {
  expect_error(
      [](Source& s) {
        s.make_list();
        s.item_schema = s.column_schema;  // its own child
        s.item_schemas[0] = &s.item_schema;
      },
      ErrorKind::unsupported);
}

TEST(ArrowImport, BrokenLengthsAreErrors) {
  expect_error([](Source& s) { s.column.length = -1; });
  expect_error([](Source& s) { s.column.length = std::numeric_limits<int64_t>::max(); });
  expect_error([](Source& s) { s.column.offset = -1; });
  expect_error([](Source& s) { s.column.offset = std::numeric_limits<int64_t>::max(); });
  expect_error([](Source& s) { s.array.length = -1; });
  expect_error([](Source& s) { s.array.length = 4; });
  expect_error([](Source& s) { s.array.offset = 1; });
  expect_error([](Source& s) { s.column.n_buffers = -1; });
  expect_error([](Source& s) { s.column.n_children = -1; });
}

TEST(ArrowImport, MissingPartsAreErrors) {
  expect_error([](Source& s) { s.column.buffers = nullptr; });
  expect_error([](Source& s) { s.buffers[1] = nullptr; });
  expect_error([](Source& s) { s.column.n_buffers = 1; });
  expect_error([](Source& s) { s.column.n_buffers = 0; });
  expect_error([](Source& s) { s.column.null_count = 1; });
  expect_error([](Source& s) { s.column.release = nullptr; });
  expect_error([](Source& s) { s.array_children[0] = nullptr; });
  expect_error([](Source& s) { s.array.children = nullptr; });
  expect_error([](Source& s) { s.array.n_children = 0; });
}

TEST(ArrowImport, BrokenListsAreErrors) {
  expect_error([](Source& s) {
    s.make_list();
    s.column.n_children = 0;
  });
  expect_error([](Source& s) {
    s.make_list();
    s.items[0] = nullptr;
  });
  expect_error([](Source& s) {
    s.make_list();
    s.item.release = nullptr;
  });
  expect_error([](Source& s) {
    s.make_list();
    s.item.length = 2;
  });
  expect_error([](Source& s) {
    s.make_list();
    s.values[1] = 3;
  });
  expect_error([](Source& s) {
    s.make_list();
    s.values[0] = -1;
  });
}

TEST(ArrowImport, BrokenViewsAreErrors) {
  expect_error([](Source& s) { s.make_views(2); });
  expect_error([](Source& s) { s.make_views(4); });  // no sizes
  expect_error([](Source& s) {
    s.make_views(4);
    s.buffers[3] = s.sizes;
  });  // no characters
  expect_error([](Source& s) {
    s.make_views(4);
    s.buffers[3] = s.sizes;
    s.buffers[2] = s.values;
    s.sizes[0] = -1;
  });
}

TEST(ArrowImport, BrokenDictionariesAreErrors) {
  auto with_dictionary = [](Source& s) {
    s.column_schema.format = "I";
    s.item_schema.format = "vu";
    s.column_schema.dictionary = &s.item_schema;
  };
  expect_error(with_dictionary);  // the array has none
  expect_error(
      [&](Source& s) {
        with_dictionary(s);
        s.column_schema.format = "l";
      },
      ErrorKind::unsupported);
  expect_error(
      [&](Source& s) {
        with_dictionary(s);
        s.item_schema.format = "l";
      },
      ErrorKind::unsupported);
}

TEST(ArrowImport, MisalignedValuesAreCopied) {
  Source source;
  source.column.length = 2;
  source.array.length = 2;
  source.buffers[1] = reinterpret_cast<const char*>(source.values) + 1;
  Table table = source.read();
  const Column& column = table.batches[0].columns[0];
  EXPECT_EQ(reinterpret_cast<uintptr_t>(column.values.as()) % 8, 0u);
  EXPECT_EQ(whole_at(column, 1), int128{2} << 56);
}

TEST(ArrowExport, AStreamOutlivesItsTableAndEncodedColumnsAreRefused) {
  Source source;
  auto table = std::make_shared<Table>(source.read());
  ArrowArrayStream stream;
  export_stream(table, &stream);
  Table again = import_stream(&stream);
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(again.batches[0].columns[0].values.as<int64_t>(), source.values);
  table->batches[0].columns[0].encoding = Encoding::constant;
  export_stream(table, &stream);
  EXPECT_THROW(import_stream(&stream), Error);
}

}  // namespace
}  // namespace frazil::columns
