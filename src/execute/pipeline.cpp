#include "execute/pipeline.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "execute/cost.hpp"
#include "execute/resident.hpp"
#include "execute/scheduler.hpp"
#include "primitives/move.hpp"

namespace frazil::execute {

using columns::Batch;
using primitives::cpu::BoundColumn;
using primitives::cpu::Machine;

namespace {

// One tile program and what ends it: a cut, or (null) the pipeline's sink.
struct Segment {
  program::Program values;  // before registers were allocated, for devices
  program::Program program;
  std::vector<Slot> slots;
  std::vector<Restriction> restrictions;  // of the source
  Cut* cut = nullptr;
};

Segment close(Assembly& assembly, Cut* cut) {
  program::Program values = assembly.builder().finish();
  return {values, program::allocate(values), assembly.slots(), assembly.restrictions(), cut};
}

// Where a pipeline's next program begins.
struct Place {
  size_t step = 0;
  Cut* resumed = nullptr;
};

// The program from a place up to the next cut or the sink.
Segment assemble(Context& context, const Pipeline& pipeline, Place& place, const Facts& facts) {
  Assembly assembly(context, facts);
  if (place.resumed) place.resumed->resume(assembly);
  while (place.step < pipeline.steps.size()) {
    Step& step = *pipeline.steps[place.step++];
    Cut* cut = dynamic_cast<Cut*>(&step);
    if (!cut || !cut->cuts(context)) {
      step.emit(assembly);
      continue;
    }
    place.resumed = cut;
    cut->prepare(assembly);
    return close(assembly, cut);
  }
  pipeline.sink->prepare(assembly);
  return close(assembly, nullptr);
}

// All programs from `first` on.
std::vector<Segment> assemble_rest(Context& context, const Pipeline& pipeline, Place place, Segment first) {
  std::vector<Segment> segments{std::move(first)};
  while (Cut* cut = segments.back().cut) segments.push_back(assemble(context, pipeline, place, cut->facts()));
  return segments;
}

void raise(const Context& context, const primitives::cpu::RowError& error) {
  if (error.row < 0) return;
  std::string message = context.functions->failures[error.function];
  constexpr std::string_view kCast = "conversion";
  const auto cast = context.casts.find(error.function);
  if (cast != context.casts.end() && message.starts_with(kCast)) message.insert(kCast.size(), cast->second);
  fail(context.functions->invalid_operation[error.function] ? ErrorKind::invalid_operation : ErrorKind::compute,
       std::move(message));
}

// One lane's machines and states, a set for each segment.
class LaneRun {
 public:
  LaneRun(Context& context, std::vector<Segment>& segments, Sink& sink) : node_rows_(context.nodes.size(), 0) {
    for (Segment& segment : segments) {
      Part part{.segment = &segment,
                .machine = {segment.program, context.functions->cpu, context.pool, context.control->cancelled},
                .slots = {},
                .states = {},
                .end = {},
                .position = 0};
      std::vector<SlotState*> slots;
      for (const Slot& slot : segment.slots) {
        part.slots.push_back(slot.factory(context));
        slots.push_back(part.slots.back().get());
        part.states.push_back(slots.back()->state());
      }
      part.end = segment.cut ? segment.cut->start(context, slots) : sink.start(context, slots);
      parts_.push_back(std::move(part));
    }
  }

  void run_task(Context& context, const Batch& batch, int64_t task) {
    // Rows of a task have places below those of the next one, however many a join makes of them.
    FZ_CHECK(task < int64_t{1} << (63 - kTaskRowBits));
    for (Part& part : parts_) part.position = task << kTaskRowBits;
    run(context, batch, 0);
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
    int64_t position;  // of the next row: see Op::position
  };
  static constexpr int kTaskRowBits = 36;

  void run(Context& context, const Batch& batch, size_t first) {
    Part& part = parts_[first];
    part.end->begin(context, batch);
    for (auto& slot : part.slots) slot->begin_batch();
    bind(batch);
    part.machine.run(bound_, batch.rows, batch.ordinal, part.position, part.states.data(), node_rows_.data());
    part.position += batch.rows;
    context.check_cancelled();
    raise(context, part.machine.error());
    part.end->end(context, batch);
    if (!part.segment->cut) return;
    while (const std::optional<Batch> piece = part.segment->cut->next(context, *part.end)) {
      context.check_cancelled();
      run(context, *piece, first + 1);
    }
  }

  void bind(const Batch& batch) {
    characters_.resize(batch.columns.size());
    bound_.resize(batch.columns.size());
    for (size_t c = 0; c < batch.columns.size(); ++c) {
      bound_[c] = primitives::cpu::bind_column(batch.columns[c], characters_[c]);
    }
  }

  std::vector<Part> parts_;
  std::vector<std::vector<const char*>> characters_;
  std::vector<BoundColumn> bound_;
  std::vector<int64> node_rows_;
};

DeviceEnd& end_of(const Pipeline& pipeline, const Segment& segment) {
  return segment.cut ? static_cast<DeviceEnd&>(*segment.cut) : *pipeline.sink;
}

std::vector<int> columns_read(const program::Program& program, const DeviceEnd& end) {
  std::vector<int> columns = end.source_columns();
  for (const program::Instruction& i : program.code) {
    if (i.a.kind == program::Operand::column) columns.push_back(i.a.index);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// What the device cannot do of a program; nothing: empty.
std::string device_lacks(Context& context, const DeviceEnd& end, const Facts& facts, const Segment& segment) {
  if (std::string lacks = end.device_lacks(facts); !lacks.empty()) return lacks;
  if (facts.rows >= primitives::kNoRow) return "2^32 rows at once";
  for (int c : columns_read(segment.values, end)) {
    const program::SourceColumn& column = facts.columns[static_cast<size_t>(c)];
    if (column.element == program::Element::none) return "columns of " + column.type.name();
  }
  return context.resident->device().lacks(segment.values);
}

void run_on_device(Context& context, DeviceEnd& end, const SourcePtr& source, const Segment& segment) {
  primitives::Device& device = context.resident->device();
  const Batch batch = context.resident->load(context, source, columns_read(segment.values, end));
  primitives::DeviceRun run{.program = segment.values, .columns = batch.columns, .rows = batch.rows};
  for (const Slot& slot : segment.slots)
    run.slots.push_back(slot.on_device ? slot.on_device(context) : primitives::DeviceSlot{});
  run.nodes = static_cast<int64_t>(context.nodes.size());
  end.describe(run);
  context.check_cancelled();
  primitives::DeviceRows made = device.run(run);
  raise(context, made.error);
  context.launches += made.launches;
  context.kernel_seconds += made.kernel_seconds;
  context.device_bytes += made.bytes_read;
  const std::vector<int64_t> node_rows = made.node_rows;
  end.take(context, batch, std::move(made));
  for (size_t n = 0; n < node_rows.size(); ++n) context.nodes[n].rows += node_rows[n];
  for (const program::Instruction& i : segment.values.code) context.nodes[i.node].device = device.name();
}

// Runs on the device what it can; false leaves the rest of the pipeline to the CPU, with a note of the reason.
bool try_device(Context& context, const Pipeline& pipeline, const SourcePtr& source, const Segment& segment) {
  if (!context.resident) return false;
  DeviceEnd& end = end_of(pipeline, segment);
  std::string lacks = device_lacks(context, end, source->facts(), segment);
  for (int attempt = 0; lacks.empty() && attempt < 2; ++attempt) {
    try {
      run_on_device(context, end, source, segment);
      return true;
    } catch (const Error& error) {
      // The columns that are kept for other queries make room; then the CPU, which has more memory, takes over.
      if (error.kind() != ErrorKind::out_of_memory) throw;
      context.resident->clear();
      if (attempt == 1) lacks = std::string("what needs more memory than it has (") + error.what() + ")";
    }
  }
  const std::string& node = context.nodes[static_cast<size_t>(pipeline.node)].node;
  context.notes.push_back("the pipeline into " + node + " ran on the CPU: the device does not do " + lacks + " yet");
  return false;
}

struct TaskRange {
  int64_t first, end;
  int64_t count() const { return end - first; }
};

int64_t bytes_of(const Batch& batch) {
  int64_t bytes = 0;
  for (const columns::Column& column : batch.columns) {
    bytes += batch.rows * columns::bytes_per_row(column.physical);
    if (column.physical == columns::Physical::bits) bytes += batch.rows / 8;
    if (column.validity) bytes += batch.rows / 8;
  }
  return bytes;
}

void run_on_cpu(Context& context, const Pipeline& pipeline, const SourcePtr& source, std::vector<Segment>& segments,
                TaskRange tasks) {
  const bool fixed = pipeline.sink->fixed_shares();
  const int64_t lanes = fixed ? std::min(kShares, std::max<int64_t>(tasks.count(), 1)) : context.scheduler->threads();
  std::vector<std::unique_ptr<LaneRun>> runs(static_cast<size_t>(lanes));
  for (auto& run : runs) run = std::make_unique<LaneRun>(context, segments, *pipeline.sink);
  const int64_t rows = std::max<int64_t>(source->facts().rows, 1);
  std::atomic<int64_t> bytes{0};
  auto run_task = [&](int64_t lane, int64_t task) {
    const Batch batch = source->read(context, task);
    bytes += bytes_of(batch);
    runs[static_cast<size_t>(lane)]->run_task(context, batch, task);
    context.control->rows_done += batch.rows;
    context.control->parts_done += Control::kWhole * batch.rows / rows;
  };
  if (fixed) {
    context.scheduler->run(context, lanes, [&](int, int64_t share) {
      const int64_t end = tasks.first + (share + 1) * tasks.count() / lanes;
      for (int64_t task = tasks.first + share * tasks.count() / lanes; task < end; ++task) {
        context.check_cancelled();
        run_task(share, task);
      }
    });
  } else {
    context.scheduler->run(context, tasks.count(), [&](int lane, int64_t task) { run_task(lane, tasks.first + task); });
  }
  std::vector<std::unique_ptr<LaneEnd>> ends;
  for (auto& run : runs) ends.push_back(run->finish(context));
  context.nodes[static_cast<size_t>(pipeline.node)].bytes += bytes;
  pipeline.sink->merge(context, std::move(ends));
}

}  // namespace

struct PipelineRun::State {
  Context& context;
  const Pipeline& pipeline;
  SourcePtr source;
  Place place;                    // behind the last segment
  std::vector<Segment> segments;  // before it has begun: the first one alone
  TaskRange left{};
  bool has_begun = false;

  void expect_rows() const { context.control->rows += source->facts().rows; }
  bool run_on_device();
  void advance(int64_t tasks);
};

PipelineRun::PipelineRun(Context& context, const Pipeline& pipeline) {
  context.check_cancelled();
  const Cost cost(context, pipeline.node);
  SourcePtr source = pipeline.source(context);
  Place place;
  std::vector<Segment> segments;
  segments.push_back(assemble(context, pipeline, place, source->facts()));
  state_ = std::make_unique<State>(context, pipeline, std::move(source), place, std::move(segments));
  state_->expect_rows();
}

PipelineRun::~PipelineRun() = default;

bool PipelineRun::is_done() const { return state_->has_begun && state_->left.count() == 0; }

// As much as the device does; false leaves a source and programs to the CPU.
bool PipelineRun::State::run_on_device() {
  while (try_device(context, pipeline, source, segments[0])) {
    context.control->rows_done += source->facts().rows;
    if (!segments[0].cut) return true;
    source = segments[0].cut->taken();
    segments[0] = assemble(context, pipeline, place, source->facts());
    expect_rows();
  }
  return false;
}

void PipelineRun::State::advance(int64_t tasks) {
  if (!has_begun) {
    const bool done = run_on_device();
    if (done || source->facts().rows == 0) context.control->parts_done += Control::kWhole;
    if (done) return;
    const int64_t rows = source->facts().rows;
    source->restrict(context, segments[0].restrictions);
    context.control->rows -= rows - source->facts().rows;
    segments = assemble_rest(context, pipeline, place, std::move(segments[0]));
    left = {0, source->tasks()};
  }
  if (pipeline.sink->fixed_shares()) tasks = left.count();
  const TaskRange next{left.first, left.first + std::min(left.count(), tasks)};
  left.first = next.end;
  run_on_cpu(context, pipeline, source, segments, next);
}

void PipelineRun::advance(int64_t tasks) {
  const Cost cost(state_->context, state_->pipeline.node);
  state_->advance(tasks);
  state_->has_begun = true;
}

void run(Context& context, const Pipeline& pipeline) { PipelineRun(context, pipeline).advance(INT64_MAX); }

std::string print_programs(Context& context, const Pipeline& pipeline) {
  SourcePtr source = pipeline.source(context);
  Place place;
  Segment first = assemble(context, pipeline, place, source->facts());
  std::string text;
  for (const Segment& segment : assemble_rest(context, pipeline, place, std::move(first))) {
    text += program::print(segment.program, context.functions->names);
  }
  return text;
}

}  // namespace frazil::execute
