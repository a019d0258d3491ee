// A pipeline: a source, steps that are fused into tile programs, and a sink. Where a step gives a row several times
// (1:N joins) the program is cut: its rows become a new batch, which the next program continues on in the same lane.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute/assembly.hpp"
#include "execute/context.hpp"
#include "execute/source.hpp"
#include "primitives/cpu/machine.hpp"
#include "primitives/device.hpp"

namespace frazil::execute {

// State of a sink or cut in one lane. `state()` of slots is asked once; batches come one at a time.
class LaneEnd {
 public:
  virtual ~LaneEnd() = default;
  virtual void begin(Context&, const columns::Batch&) {}
  // The batch has gone through the program.
  virtual void end(Context&, const columns::Batch&) {}
};

// What ends a program, as a device sees it: what it cannot do there (nothing: empty), what a run is told of it, the
// columns of the source that are read beside those that the program names, and what came of the run.
class DeviceEnd {
 public:
  virtual ~DeviceEnd() = default;
  virtual std::string device_lacks(const Facts&) const { return "sinks of this kind"; }
  virtual void describe(primitives::DeviceRun&) const {}
  virtual std::vector<int> source_columns() const { return {}; }
  virtual void take(Context&, const columns::Batch&, primitives::DeviceRows) {}
};

// The end of a pipeline. Lanes fill their states; merge (on a device: take) joins them in lane order; finish gives what
// was made.
class Sink : public DeviceEnd {
 public:
  // Chooses its variant from what the assembly knows and writes its part of the program.
  virtual void prepare(Assembly& assembly) = 0;
  virtual std::unique_ptr<LaneEnd> start(Context& context, const std::vector<SlotState*>& slots) = 0;
  // Results depend on which lane took which rows (sums of floats): lanes get fixed shares of the source.
  virtual bool fixed_shares() const { return false; }
  virtual void merge(Context& context, std::vector<std::unique_ptr<LaneEnd>> lanes) = 0;
  virtual SourcePtr finish(Context& context) = 0;
};
using SinkPtr = std::shared_ptr<Sink>;

// A cut: ends one program and gives the batches that the next one starts with. On a device it makes all rows at once,
// and they are the source of a pipeline of its own.
class Cut : public Step, public DeviceEnd {
 public:
  // Whether prepare is to be called instead of emit. Asked at pipeline start: what the step needs is finished.
  virtual bool cuts(Context& context) = 0;
  virtual void prepare(Assembly& assembly) = 0;
  virtual Facts facts() const = 0;
  virtual void resume(Assembly&) {}  // its part of the program behind the cut
  virtual std::unique_ptr<LaneEnd> start(Context& context, const std::vector<SlotState*>& slots) = 0;
  // The next piece of what a batch became; none: that was all.
  virtual std::optional<columns::Batch> next(Context& context, LaneEnd& lane) = 0;
  virtual SourcePtr taken() = 0;  // what a device made
};

// Where lanes get fixed shares: enough to keep threads busy, few enough that their states are cheap to merge.
constexpr int64_t kShares = 32;

struct Pipeline {
  std::function<SourcePtr(Context&)> source;
  std::vector<StepPtr> steps;
  SinkPtr sink;
  int node = 0;  // plan node that the sink belongs to
};

// A pipeline that runs piece by piece. Its sink has what the latest piece gave, and no more.
class PipelineRun {
 public:
  // Knows the source, and assembles the program.
  PipelineRun(Context& context, const Pipeline& pipeline);
  ~PipelineRun();
  // Runs the next tasks of the source, at most so many; on a device, and where lanes have fixed shares, all of them.
  void advance(int64_t tasks);
  bool is_done() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Runs a pipeline to its end.
void run(Context& context, const Pipeline& pipeline);

// The tile programs that a pipeline would run, as text.
std::string print_programs(Context& context, const Pipeline& pipeline);

}  // namespace frazil::execute
