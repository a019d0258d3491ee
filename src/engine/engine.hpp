// The public face: an engine checks, explains and runs plans.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "columns/column.hpp"
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
  double seconds;  // of the pipelines that it ended
};

struct Result {
  std::shared_ptr<const columns::Table> table;  // plain columns
  std::vector<NodeReport> report;               // children first
  int64_t tiles_loaded = 0;                     // tiles of columns that programs read
  int64_t bytes_peak = 0;                       // most memory that the engine held meanwhile
  int64_t bytes_spilled = 0;                    // written to files meanwhile
  int64_t launches = 0;                         // of kernels
  double kernel_seconds = 0;                    // by the device's clock
  int64_t device_bytes = 0;                     // of columns that kernels read
  std::vector<std::string> notes;               // what a device left to the CPU, and why
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
  // `interrupted` is asked every few milliseconds; true cancels the query. Throws Error.
  Result run(const plan::NodePtr& root, std::function<bool()> interrupted = {});
  // The plan; with `programs` also the tile programs, as far as they are known before anything has run.
  std::string explain(const plan::NodePtr& root, bool programs);

 private:
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
