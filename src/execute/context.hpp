// What a running query shares: memory, threads, cancellation, and what its operators produced.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/export.hpp"
#include "memory/pool.hpp"
#include "primitives/cpu/verb_table.hpp"
#include "program/program.hpp"

namespace frazil::execute {

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
  int64_t rows = 0;    // that this operator produced, counted where they were made
  double seconds = 0;  // of the pipelines that it ended; 0 where it was fused into another
};

struct Context {
  memory::PoolPtr pool;
  std::shared_ptr<Parking> parking;  // of batches between pipelines
  Scheduler* scheduler = nullptr;
  const FunctionTable* functions = nullptr;
  Resident* resident = nullptr;  // a device and the columns on it; null: the CPU runs everything
  int64_t batch_rows = 0;        // 0: as the source likes
  std::atomic<bool> cancelled{false};
  std::function<bool()> interrupted;  // asked now and then by the thread that waits; true cancels the query
  std::vector<NodeReport> nodes;      // by node number
  std::atomic<int64_t> tiles_loaded{0};
  int64_t launches = 0;            // of kernels
  double kernel_seconds = 0;       // by the device's clock
  int64_t device_bytes = 0;        // of columns that kernels read
  std::vector<std::string> notes;  // what the device left to the CPU, and why

  void check_cancelled() const;
};

// Rows a batch of in-memory tables has: small enough that a tile's columns stay in cache, large enough to be worth a
// task.
constexpr int64_t kMorselRows = 128 << 10;

}  // namespace frazil::execute
