// The engine. Queries run without the GIL; the waiting thread takes it now and then to look for Ctrl-C.
#include "engine/engine.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <optional>

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
  const engine::Report& report() const { return result.report; }
};

// One query, which may be several runs, as other threads see it.
struct PythonQuery {
  std::shared_ptr<execute::Control> control = std::make_shared<execute::Control>();
  std::optional<double> fraction() const {  // nothing, as long as no run has begun
    const int64_t whole = control->pipelines * execute::Control::kWhole;
    if (whole == 0) return std::nullopt;
    return std::min(1.0, static_cast<double>(control->parts_done) / static_cast<double>(whole));
  }
};

// Rows that are asked for piece by piece; gone once closed.
class PythonStream {
 public:
  PythonStream(std::shared_ptr<engine::Engine> engine, engine::Stream stream)
      : engine_(std::move(engine)), stream_(std::move(stream)), report_(stream_->report()) {}

  std::optional<PythonTable> next() {
    nb::gil_scoped_release release;
    std::lock_guard lock(mutex_);
    if (!stream_) return std::nullopt;
    engine::TablePtr table = stream_->next();
    report_ = stream_->report();
    if (!table) return std::nullopt;
    return PythonTable{std::move(table), engine_->pool()};
  }
  void close() {
    nb::gil_scoped_release release;
    std::lock_guard lock(mutex_);
    stream_.reset();
  }
  bool is_done() const { return !stream_ || stream_->is_done(); }
  const engine::Report& report() const { return report_; }

 private:
  std::shared_ptr<engine::Engine> engine_;
  std::mutex mutex_;
  std::optional<engine::Stream> stream_;
  engine::Report report_;  // as it was after the latest piece
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
    entry["bytes"] = node.bytes;
    entry["bytes_peak"] = node.bytes_peak;
    entry["row_groups"] = node.row_groups;
    entry["row_groups_pruned"] = node.row_groups_pruned;
    all.append(entry);
  }
  return all;
}

engine::Watch watch(const PythonQuery* query) { return {query ? query->control : nullptr, interrupted}; }

PythonResult run(const PythonEngine& self, const PythonNode& node, const PythonQuery* query, bool stay) {
  std::shared_ptr<engine::Engine> engine = self.engine;
  self.get();
  nb::gil_scoped_release release;
  return {engine->run(node.node, watch(query), stay), engine->pool()};
}

std::unique_ptr<PythonStream> stream(const PythonEngine& self, const PythonNode& node, const PythonQuery* query) {
  return std::make_unique<PythonStream>(self.engine, self.get().stream(node.node, watch(query)));
}

template <class Run>
nb::class_<Run> bind_report(nb::class_<Run> run) {
  return run.def_prop_ro("report", [](const Run& self) { return describe(self.report().nodes); })
      .def_prop_ro("tiles_loaded", [](const Run& self) { return self.report().tiles_loaded; })
      .def_prop_ro("bytes_peak", [](const Run& self) { return self.report().bytes_peak; })
      .def_prop_ro("bytes_spilled", [](const Run& self) { return self.report().bytes_spilled; })
      .def_prop_ro("launches", [](const Run& self) { return self.report().launches; })
      .def_prop_ro("kernel_seconds", [](const Run& self) { return self.report().kernel_seconds; })
      .def_prop_ro("device_bytes", [](const Run& self) { return self.report().device_bytes; })
      .def_prop_ro("notes", [](const Run& self) { return self.report().notes; });
}

}  // namespace

void bind_engine(nb::module_& module) {
  module.def("interrupted", interrupted);
  nb::class_<PythonQuery>(module, "Query", "One query, which may be several runs, as other threads see it.")
      .def(nb::init<>())
      .def("cancel", [](PythonQuery& self) { self.control->cancelled = true; })
      .def_prop_ro("fraction", &PythonQuery::fraction)
      .def_prop_ro("rows", [](const PythonQuery& self) { return self.control->rows.load(); })
      .def_prop_ro("rows_done", [](const PythonQuery& self) { return self.control->rows_done.load(); });
  bind_report(nb::class_<PythonStream>(module, "Stream", "The rows of a query piece by piece."))
      .def("next", &PythonStream::next)
      .def_prop_ro("is_done", &PythonStream::is_done)
      .def("close", &PythonStream::close);
  bind_report(nb::class_<PythonResult>(module, "Result", "The rows of a query, and what made them."))
      .def_prop_ro("rows", [](const PythonResult& self) { return self.result.table->rows(); })
      .def("table", [](const PythonResult& self) { return PythonTable{self.result.table, self.pool}; })
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
      .def("run", run, nb::arg("node"), nb::arg("query").none() = nb::none(), nb::arg("stay") = false)
      .def("stream", stream, nb::arg("node"), nb::arg("query").none() = nb::none())
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
