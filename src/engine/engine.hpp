// The public face: an engine checks, explains and runs plans.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"
#include "execute/context.hpp"
#include "memory/pool.hpp"
#include "plan/node.hpp"
#include "plan/signature.hpp"

namespace frazil::engine {

struct Options {
  std::string device = "auto";  // "auto" (the CPU), "cpu", "cuda" or "cuda:N"
  int threads = 0;              // 0: one per usable core
  int64_t memory_limit = 0;     // bytes; 0: none
  int64_t batch_rows = 0;       // rows a batch; 0: as the engine likes
  std::string spill_directory;  // where rows go when the memory limit presses; empty: the system's temporary folder
};

// Why a part of a plan cannot run: known before anything runs.
struct Refusal {
  std::string code, node, expression, message;
};

// What one operator of a plan did.
struct NodeReport {
  std::string node, device;
  int64_t rows;    // that it produced
  double seconds;  // of the pipelines that it ended, as what follows
  int64_t bytes;   // that went in
  int64_t bytes_peak;
  int64_t row_groups, row_groups_pruned;  // of a scan
};

// What a run did and took.
struct Report {
  std::vector<NodeReport> nodes;   // children first
  int64_t tiles_loaded = 0;        // tiles of columns that programs read
  int64_t bytes_peak = 0;          // most memory that the engine held meanwhile
  int64_t bytes_spilled = 0;       // written to files meanwhile
  int64_t launches = 0;            // of kernels
  double kernel_seconds = 0;       // by the device's clock
  int64_t device_bytes = 0;        // of columns that kernels read
  std::vector<std::string> notes;  // what a device left to the CPU, and why
};

using TablePtr = std::shared_ptr<const columns::Table>;  // plain columns, or on a device as they were made there

struct Result {
  TablePtr table;
  Report report;
};

// How a run is watched and ended. Both may be absent.
struct Watch {
  std::shared_ptr<execute::Control> control;  // from other threads, and for several runs at once
  std::function<bool()> interrupted;          // asked every few milliseconds; true cancels the query
};

// Rows that are made piece by piece as they are asked for: all of a plan but its last pipeline runs before the first
// piece, and between the pieces nothing does. Must not outlive its engine. One thread at a time may use it.
class FRAZIL_API Stream {
 public:
  ~Stream();
  Stream(Stream&&) noexcept;
  // The next rows in order, at least one; null at the end. Throws Error, after which there are no more.
  TablePtr next();
  bool is_done() const;   // known before next() says so
  Report report() const;  // so far

 private:
  friend class Engine;
  struct State;
  explicit Stream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class FRAZIL_API Engine {
 public:
  explicit Engine(const Options& options);
  ~Engine();

  const Options& options() const { return options_; }
  int threads() const;
  const memory::PoolPtr& pool() const { return pool_; }
  std::string device() const;              // "cpu" or "cuda:N"
  std::string device_description() const;  // the product, for people

  std::vector<Refusal> check(const plan::NodePtr& root) const;
  // Throws Error.
  // `stay`: rows that a device made stay there.
  Result run(const plan::NodePtr& root, Watch watch = {}, bool stay = false);
  Stream stream(const plan::NodePtr& root, Watch watch = {});
  // The plan; with `programs` also the tile programs, as far as they are known before anything has run.
  std::string explain(const plan::NodePtr& root, bool programs);

 private:
  friend class Stream;
  struct State;
  Options options_;
  memory::PoolPtr pool_;
  std::unique_ptr<State> state_;
};

struct FunctionDescription {
  const plan::FunctionInfo* info;
  std::string shape;
};
FRAZIL_API std::vector<FunctionDescription> functions();

}  // namespace frazil::engine
