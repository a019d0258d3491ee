// Worker threads that take tasks of a pipeline one by one. The calling thread waits and asks now and then whether the
// query is to be cancelled, so that Ctrl-C is answered.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/export.hpp"
#include "execute/context.hpp"

namespace frazil::execute {

class Scheduler {
 public:
  // `threads` 0: one per core that this process may use.
  explicit Scheduler(int threads);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  int threads() const { return static_cast<int>(workers_.size()); }

  // Calls work(lane, task) for each task below `tasks`, each lane one task at a time, tasks in order. The first
  // exception (by task number) ends the run and is thrown here.
  void run(Context& context, int64_t tasks, const std::function<void(int lane, int64_t task)>& work);

 private:
  struct Run {
    Context* context;
    const std::function<void(int, int64_t)>* work;
    int64_t tasks;
    std::atomic<int64_t> next{0};
    std::atomic<int> busy{0};
    std::mutex mutex;
    std::exception_ptr error;
    int64_t error_task = INT64_MAX;
  };
  void serve(const std::stop_token& stop, int lane);
  static void work_on(Run& run, int lane);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any done_;
  Run* current_ = nullptr;
  uint64_t generation_ = 0;
  std::timed_mutex one_run_;  // queries of several threads take turns, pipeline by pipeline
  std::vector<std::jthread> workers_;
};

// Does work(task) for all tasks below `tasks`.
using Parallel = std::function<void(int64_t tasks, const std::function<void(int64_t task)>& work)>;
// On all threads of a query. The calling one waits, and cannot be one of them.
Parallel on_all_threads(Context& context);
// One after the other on the calling thread.
void in_turn(int64_t tasks, const std::function<void(int64_t task)>& work);

}  // namespace frazil::execute
