// The native module, one function per area. Each adds its classes and functions to the module.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "columns/arrow.hpp"
#include "memory/pool.hpp"

namespace frazil::bind {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_columns(nb::module_& module);
void bind_plan(nb::module_& module);
void bind_engine(nb::module_& module);
void bind_parquet(nb::module_& module);

// A table in Python's hands, with the pool that new tables made from it are charged to.
struct PythonTable {
  std::shared_ptr<const columns::Table> table;
  memory::PoolPtr pool;
};

// Reads an object with `__arrow_c_stream__` to its end, without the GIL.
std::shared_ptr<const columns::Table> import_table(nb::handle object, const memory::PoolPtr& pool);

// The capsule that `__arrow_c_stream__` returns. Encoded columns are decoded here, without the GIL.
nb::object export_table(const std::shared_ptr<const columns::Table>& table, const memory::PoolPtr& pool);

}  // namespace frazil::bind
