#include "execute/scheduler.hpp"

#include <sched.h>

#include "base/error.hpp"

namespace frazil::execute {

namespace {

constexpr std::chrono::milliseconds kAskEvery{10};

}  // namespace

void Context::check_cancelled() const {
  if (interrupted && runner_ == std::this_thread::get_id()) {
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ >= kAskEvery) ask_interrupted();
  }
  if (control->cancelled.load(std::memory_order_relaxed)) fail(ErrorKind::cancelled, "the query was cancelled");
}

void Context::ask_interrupted() const {
  if (interrupted && !control->cancelled && interrupted()) control->cancelled = true;
  asked_ = std::chrono::steady_clock::now();
}

namespace {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

Scheduler::Scheduler(int threads) {
  const int count = threads > 0 ? threads : usable_cores();
  for (int lane = 0; lane < count; ++lane) {
    workers_.emplace_back([this, lane](const std::stop_token& stop) { serve(stop, lane); });
  }
}

Scheduler::~Scheduler() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

void Scheduler::work_on(Run& run, int lane) {
  for (;;) {
    const int64_t task = run.next.fetch_add(1, std::memory_order_relaxed);
    if (task >= run.tasks) return;
    try {
      run.context->check_cancelled();
      (*run.work)(lane, task);
    } catch (...) {
      std::lock_guard lock(run.mutex);
      if (task < run.error_task) {
        run.error_task = task;
        run.error = std::current_exception();
      }
      run.next.store(run.tasks, std::memory_order_relaxed);
    }
  }
}

void Scheduler::serve(const std::stop_token& stop, int lane) {
  uint64_t seen = 0;
  for (;;) {
    Run* run = nullptr;
    {
      std::unique_lock lock(mutex_);
      // Not wait(), which g++ 12 takes from a newer libstdc++ than a manylinux_2_34 wheel may ask for.
      while (!wake_.wait_for(lock, stop, std::chrono::hours(1),
                             [&] { return generation_ != seen && current_ != nullptr; })) {
        if (stop.stop_requested()) return;
      }
      seen = generation_;
      run = current_;
      ++run->busy;
    }
    work_on(*run, lane);
    {
      std::lock_guard lock(mutex_);
      --run->busy;
    }
    done_.notify_all();
  }
}

void Scheduler::run(Context& context, int64_t tasks, const std::function<void(int, int64_t)>& work) {
  if (tasks == 0) return;
  std::unique_lock turn(one_run_, std::defer_lock);
  while (!turn.try_lock_for(kAskEvery)) {
    context.ask_interrupted();
    context.check_cancelled();
  }
  Run run{.context = &context, .work = &work, .tasks = tasks, .mutex = {}, .error = {}};
  {
    std::lock_guard lock(mutex_);
    current_ = &run;
    ++generation_;
  }
  wake_.notify_all();
  {
    std::unique_lock lock(mutex_);
    auto finished = [&] { return run.busy == 0 && run.next.load() >= run.tasks; };
    while (!done_.wait_for(lock, kAskEvery, finished)) {
      lock.unlock();
      context.ask_interrupted();
      lock.lock();
    }
    current_ = nullptr;
  }
  if (run.error) std::rethrow_exception(run.error);
  context.check_cancelled();
}

Parallel on_all_threads(Context& context) {
  return [&context](int64_t tasks, const std::function<void(int64_t)>& work) {
    context.scheduler->run(context, tasks, [&](int, int64_t task) { work(task); });
  };
}

void in_turn(int64_t tasks, const std::function<void(int64_t task)>& work) {
  for (int64_t task = 0; task < tasks; ++task) work(task);
}

}  // namespace frazil::execute
