// Parquet files as tables, without a plan: for people who look into a file, and for the tests of the decoder.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bind.hpp"
#include "formats/parquet/scan.hpp"

namespace frazil::bind {

namespace {

// The fields with these names, or all, as the first file has them.
columns::Schema fields_of(const formats::FileMetadata& metadata, const std::optional<std::vector<std::string>>& names) {
  columns::Schema fields;
  auto add = [&](const std::string& name, const formats::Leaf* leaf) {
    fields.push_back({name, leaf && leaf->type ? *leaf->type : columns::DataType{}});
  };
  if (!names) {
    for (const formats::Leaf& leaf : metadata.leaves) add(leaf.name, &leaf);
    return fields;
  }
  for (const std::string& name : *names) {
    const int leaf = metadata.find(name);
    add(name, leaf < 0 ? nullptr : &metadata.leaves[static_cast<size_t>(leaf)]);
  }
  return fields;
}

PythonTable read_parquet(const std::vector<std::string>& paths, const std::optional<std::vector<std::string>>& names) {
  nb::gil_scoped_release unlocked;
  memory::PoolPtr pool = memory::Pool::create(0);
  auto table = std::make_shared<columns::Table>();
  std::vector<formats::ScanFile> files = formats::open_files(paths);
  if (!files.empty()) table->schema = fields_of(*files[0].metadata, names);
  std::vector<formats::RowGroupPlace> places;
  for (size_t f = 0; f < files.size(); ++f) {
    const formats::FileMetadata& metadata = *files[f].metadata;
    const auto problems = formats::find_problems(metadata, table->schema);
    if (!problems.empty()) fail(ErrorKind::unsupported, problems[0].message + " (" + paths[f] + ")");
    for (size_t group = 0; group < metadata.row_groups.size(); ++group) {
      if (metadata.row_groups[group].rows == 0) continue;
      places.push_back({static_cast<int>(f), static_cast<int>(group)});
    }
  }
  const formats::Scan scan(std::move(files), table->schema, std::move(places), pool,
                           [](int64_t tasks, const std::function<void(int64_t)>& work) {
                             for (int64_t task = 0; task < tasks; ++task) work(task);
                           });
  int64_t ordinal = 0;
  for (int64_t group = 0; group < scan.groups(); ++group) {
    table->batches.push_back({scan.rows(group), scan.read(group, [] {}), ordinal});
    ordinal += scan.rows(group);
  }
  return {std::move(table), pool};
}

}  // namespace

void bind_parquet(nb::module_& module) {
  module.def("read_parquet", read_parquet, nb::arg("paths"), nb::arg("columns") = nb::none(),
             "The rows of Parquet files, all of their columns or some.");
}

}  // namespace frazil::bind
