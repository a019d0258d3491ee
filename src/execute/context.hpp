// What a running query shares: memory, threads, cancellation, and what its operators produced.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/export.hpp"
#include "memory/pool.hpp"
#include "primitives/cpu/verb_table.hpp"
#include "program/program.hpp"

namespace frazil::execute {

class Cost;
class Parking;
class Scheduler;
class Resident;

// What functions bring to an executor: the loops of their `apply`, their names and what their failure means.
struct FunctionTable {
  primitives::cpu::VerbLookup cpu;
  program::FunctionNames names;
  std::vector<std::string> failures;
  std::vector<bool> invalid_operation;  // the failure's class
};

struct NodeReport {
  std::string node;  // kind and a few words
  std::string device = "cpu";
  int64_t rows = 0;  // that this operator produced, counted where they were made
  // Of the pipelines that it ended; 0 where it was fused into another.
  double seconds = 0;
  int64_t bytes = 0;       // that went in, of which a text is only the part of fixed width
  int64_t bytes_peak = 0;  // most that the engine held meanwhile
  // Of Parquet files.
  int64_t row_groups = 0, row_groups_pruned = 0;
};

// What other threads see of a query, and ask of it, while it runs. Several runs may be one query.
struct Control {
  std::atomic<bool> cancelled{false};
  std::atomic<int64_t> pipelines{0};           // of all runs that have begun
  std::atomic<int64_t> parts_done{0};          // of these pipelines, kWhole each
  std::atomic<int64_t> rows{0}, rows_done{0};  // that pipelines which have begun read, and have read

  static constexpr int64_t kWhole = 1'000'000;
};

struct Context {
  memory::PoolPtr pool;
  std::shared_ptr<Parking> parking;  // of batches between pipelines
  Scheduler* scheduler = nullptr;
  const FunctionTable* functions = nullptr;
  Resident* resident = nullptr;  // a device and the columns on it; null: the CPU runs everything
  int64_t batch_rows = 0;        // 0: as the source likes
  std::shared_ptr<Control> control = std::make_shared<Control>();
  std::function<bool()> interrupted;  // asked now and then by the thread that runs the query; true cancels it
  std::vector<NodeReport> nodes;      // by node number
  Cost* cost = nullptr;               // of the node that something is done for
  std::atomic<int64_t> tiles_loaded{0};
  int64_t launches = 0;            // of kernels
  double kernel_seconds = 0;       // by the device's clock
  int64_t device_bytes = 0;        // of columns that kernels read
  std::vector<std::string> notes;  // what the device left to the CPU, and why
  // Which casts a function does in this query, for its failure; empty where they are several.
  std::map<uint16, std::string> casts;

  // Throws if the query was cancelled. The thread that runs it also asks whether it is interrupted, if it is time to.
  void check_cancelled() const;
  void ask_interrupted() const;
  // From now on this thread runs the query.
  void run_here() { runner_ = std::this_thread::get_id(); }

 private:
  std::thread::id runner_ = std::this_thread::get_id();
  mutable std::chrono::steady_clock::time_point asked_;  // by the runner
};

// Rows a batch of in-memory tables has: small enough that a tile's columns stay in cache, large enough to be worth a
// task.
constexpr int64_t kMorselRows = 128 << 10;

}  // namespace frazil::execute
