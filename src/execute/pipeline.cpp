#include "execute/pipeline.hpp"

#include <chrono>


#include "base/error.hpp"
#include "execute/scheduler.hpp"

namespace frazil::execute {

using columns::Batch;
using primitives::cpu::BoundColumn;
using primitives::cpu::Machine;

namespace {

// One tile program and what ends it: a cut, or (null) the pipeline's sink.
struct Segment {
  program::Program program;
  std::vector<SlotFactory> slots;
  Cut* cut = nullptr;
};

Segment close(Assembly& assembly, Cut* cut) {
  return {program::allocate(assembly.builder().finish()), assembly.slots(), cut};
}

std::vector<Segment> assemble(Context& context, const Pipeline& pipeline, const Facts& facts) {
  std::vector<Segment> segments;
  auto assembly = std::make_unique<Assembly>(context, facts);
  for (const StepPtr& step : pipeline.steps) {
    Cut* cut = dynamic_cast<Cut*>(step.get());
    if (!cut || !cut->cuts(context)) {
      step->emit(*assembly);
      continue;
    }
    cut->prepare(*assembly);
    segments.push_back(close(*assembly, cut));
    assembly = std::make_unique<Assembly>(context, cut->facts());
    cut->resume(*assembly);
  }
  pipeline.sink->prepare(*assembly);
  segments.push_back(close(*assembly, nullptr));
  return segments;
}

// One lane's machines and states, a set for each segment.
class LaneRun {
 public:
  LaneRun(Context& context, std::vector<Segment>& segments, Sink& sink) : node_rows_(context.nodes.size(), 0) {
    for (Segment& segment : segments) {
      Part part{.segment = &segment, .machine = {segment.program, context.functions->cpu, context.pool}, .slots = {},
                .states = {}, .end = {}};
      std::vector<SlotState*> slots;
      for (const SlotFactory& factory : segment.slots) {
        part.slots.push_back(factory(context));
        slots.push_back(part.slots.back().get());
        part.states.push_back(slots.back()->state());
      }
      part.end = segment.cut ? segment.cut->start(context, slots) : sink.start(context, slots);
      parts_.push_back(std::move(part));
    }
  }

  void run(Context& context, Batch batch) {
    for (Part& part : parts_) {
      part.end->begin(context, batch);
      bind(batch);
      part.machine.run(bound_, batch.rows, batch.ordinal, part.states.data(), node_rows_.data());
      raise(context, part.machine.error());
      part.end->end(context, batch);
      if (part.segment->cut) batch = part.segment->cut->take(context, *part.end);
    }
  }

  std::unique_ptr<LaneEnd> finish(Context& context) {
    for (size_t n = 0; n < node_rows_.size(); ++n) context.nodes[n].rows += node_rows_[n];
    for (Part& part : parts_) context.tiles_loaded += part.machine.tiles_loaded();
    return std::move(parts_.back().end);
  }

 private:
  struct Part {
    Segment* segment;
    Machine machine;
    std::vector<std::unique_ptr<SlotState>> slots;
    std::vector<void*> states;
    std::unique_ptr<LaneEnd> end;
  };

  void bind(const Batch& batch) {
    characters_.resize(batch.columns.size());
    bound_.resize(batch.columns.size());
    for (size_t c = 0; c < batch.columns.size(); ++c) {
      bound_[c] = primitives::cpu::bind_column(batch.columns[c], characters_[c]);
    }
  }

  static void raise(const Context& context, const primitives::cpu::RowError& error) {
    if (error.row < 0) return;
    fail(context.functions->invalid_operation[error.function] ? ErrorKind::invalid_operation : ErrorKind::compute,
         context.functions->failures[error.function]);
  }

  std::vector<Part> parts_;
  std::vector<std::vector<const char*>> characters_;
  std::vector<BoundColumn> bound_;
  std::vector<int64> node_rows_;
};

// Fixed shares: enough to keep threads busy, few enough that their states are cheap to merge.
constexpr int64_t kShares = 32;

}  // namespace

void run(Context& context, const Pipeline& pipeline) {
  const auto begin = std::chrono::steady_clock::now();
  SourcePtr source = pipeline.source(context);
  std::vector<Segment> segments = assemble(context, pipeline, source->facts());
  const int64_t tasks = source->tasks();
  const bool fixed = pipeline.sink->fixed_shares();
  const int64_t lanes = fixed ? std::min(kShares, std::max<int64_t>(tasks, 1)) : context.scheduler->threads();
  std::vector<std::unique_ptr<LaneRun>> runs(static_cast<size_t>(lanes));
  for (auto& run : runs) run = std::make_unique<LaneRun>(context, segments, *pipeline.sink);
  if (fixed) {
    context.scheduler->run(context, lanes, [&](int, int64_t share) {
      for (int64_t task = share * tasks / lanes; task < (share + 1) * tasks / lanes; ++task) {
        context.check_cancelled();
        runs[static_cast<size_t>(share)]->run(context, source->read(context, task));
      }
    });
  } else {
    context.scheduler->run(context, tasks, [&](int lane, int64_t task) {
      runs[static_cast<size_t>(lane)]->run(context, source->read(context, task));
    });
  }
  std::vector<std::unique_ptr<LaneEnd>> ends;
  for (auto& run : runs) ends.push_back(run->finish(context));
  pipeline.sink->merge(context, std::move(ends));
  context.nodes[static_cast<size_t>(pipeline.node)].seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string print_programs(Context& context, const Pipeline& pipeline) {
  SourcePtr source = pipeline.source(context);
  std::string text;
  for (const Segment& segment : assemble(context, pipeline, source->facts())) {
    text += program::print(segment.program, context.functions->names);
  }
  return text;
}

}  // namespace frazil::execute
