// The engine. Queries run without the GIL; the waiting thread takes it now and then to look for Ctrl-C.
#include "engine/engine.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bind.hpp"
#include "plan_types.hpp"

namespace frazil::bind {
namespace {

// An engine that may have been shut down; running queries keep it alive.
struct PythonEngine {
  std::shared_ptr<engine::Engine> engine;
  engine::Options options;
  engine::Engine& get() const {
    if (!engine) throw std::runtime_error("this engine was shut down; make a new one");
    return *engine;
  }
};

struct PythonResult {
  engine::Result result;
  memory::PoolPtr pool;
};

// Whether the user pressed Ctrl-C. The handler's exception is dropped: cancellation raises KeyboardInterrupt itself.
bool interrupted() {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return false;
  PyErr_Clear();
  return true;
}

nb::list describe(const std::vector<engine::Refusal>& refusals) {
  nb::list all;
  for (const engine::Refusal& refusal : refusals) {
    nb::dict entry;
    entry["code"] = refusal.code;
    entry["node"] = refusal.node;
    entry["expression"] = refusal.expression;
    entry["message"] = refusal.message;
    all.append(entry);
  }
  return all;
}

nb::list describe(const std::vector<engine::NodeReport>& report) {
  nb::list all;
  for (const engine::NodeReport& node : report) {
    nb::dict entry;
    entry["node"] = node.node;
    entry["device"] = node.device;
    entry["rows"] = node.rows;
    entry["seconds"] = node.seconds;
    all.append(entry);
  }
  return all;
}

PythonResult run(const PythonEngine& self, const PythonNode& node) {
  std::shared_ptr<engine::Engine> engine = self.engine;
  self.get();
  nb::gil_scoped_release release;
  return {engine->run(node.node, interrupted), engine->pool()};
}

}  // namespace

void bind_engine(nb::module_& module) {
  nb::class_<PythonResult>(module, "Result", "The rows of a query, and what made them.")
      .def_prop_ro("rows", [](const PythonResult& self) { return self.result.table->rows(); })
      .def_prop_ro("report", [](const PythonResult& self) { return describe(self.result.report); })
      .def_prop_ro("tiles_loaded", [](const PythonResult& self) { return self.result.tiles_loaded; })
      .def_prop_ro("bytes_peak", [](const PythonResult& self) { return self.result.bytes_peak; })
      .def_prop_ro("bytes_spilled", [](const PythonResult& self) { return self.result.bytes_spilled; })
      .def_prop_ro("launches", [](const PythonResult& self) { return self.result.launches; })
      .def_prop_ro("kernel_seconds", [](const PythonResult& self) { return self.result.kernel_seconds; })
      .def_prop_ro("device_bytes", [](const PythonResult& self) { return self.result.device_bytes; })
      .def_prop_ro("notes", [](const PythonResult& self) { return self.result.notes; })
      .def(
          "__arrow_c_stream__",
          [](const PythonResult& self, nb::handle) { return export_table(self.result.table, self.pool); },
          nb::arg("requested_schema").none() = nb::none());
  nb::class_<PythonEngine>(module, "Engine", "Checks, explains and runs plans.")
      .def(
          "__init__",
          [](PythonEngine* self, std::string device, int threads, int64_t memory_limit, int64_t batch_rows,
             std::string spill_directory) {
            engine::Options options{std::move(device), threads, memory_limit, batch_rows, std::move(spill_directory)};
            new (self) PythonEngine{std::make_shared<engine::Engine>(options), options};
          },
          nb::arg("device") = "auto", nb::arg("threads") = 0, nb::arg("memory_limit") = 0, nb::arg("batch_rows") = 0,
          nb::arg("spill_directory") = "")
      .def("check",
           [](const PythonEngine& self, const PythonNode& node) { return describe(self.get().check(node.node)); })
      .def("run", run)
      .def(
          "explain",
          [](const PythonEngine& self, const PythonNode& node, bool program) {
            return self.get().explain(node.node, program);
          },
          nb::arg("node"), nb::arg("program") = false)
      .def_prop_ro("bytes_in_use",
                   [](const PythonEngine& self) { return self.engine ? self.engine->pool()->bytes_in_use() : 0; })
      .def_prop_ro("threads", [](const PythonEngine& self) { return self.get().threads(); })
      .def_prop_ro("device", [](const PythonEngine& self) { return self.get().device(); })
      .def_prop_ro("device_description", [](const PythonEngine& self) { return self.get().device_description(); })
      .def("shutdown", [](PythonEngine& self) { self.engine.reset(); });
}

}  // namespace frazil::bind
