// Adds up what a part of a query takes, for the report of the plan node that it belongs to.
#pragma once

#include <algorithm>
#include <chrono>

#include "execute/context.hpp"

namespace frazil::execute {

// As long as it lives; what begins meanwhile for another node counts there alone.
class Cost {
 public:
  Cost(Context& context, int node) : context_(context), node_(static_cast<size_t>(node)), outer_(context.cost) {
    if (outer_) outer_->pause();
    context_.cost = this;
    go_on();
  }
  ~Cost() {
    pause();
    context_.cost = outer_;
    if (outer_) outer_->go_on();
  }
  Cost(const Cost&) = delete;
  Cost& operator=(const Cost&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  void go_on() {
    begin_ = Clock::now();
    device_bytes_ = context_.device_bytes;
    context_.pool->begin_part();
  }
  void pause() {
    NodeReport& node = context_.nodes[node_];
    node.seconds += std::chrono::duration<double>(Clock::now() - begin_).count();
    node.bytes += context_.device_bytes - device_bytes_;
    node.bytes_peak = std::max(node.bytes_peak, context_.pool->bytes_peak_of_part());
  }

  Context& context_;
  size_t node_;
  Cost* outer_;
  Clock::time_point begin_;
  int64_t device_bytes_ = 0;
};

}  // namespace frazil::execute
