#include "engine/engine.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "engine/open_device.hpp"
#include "engine/registry.hpp"
#include "execute/materialise.hpp"
#include "execute/resident.hpp"
#include "execute/scheduler.hpp"
#include "primitives/cpu/machine.hpp"
#include "primitives/move.hpp"

namespace frazil::engine {

namespace {

template <primitives::cpu::VerbLookup lookup>
primitives::cpu::Step with_host(const program::Instruction& i) {
  const primitives::cpu::Step step = lookup(i);
  return step ? step : functions::host_step_of(i);
}

primitives::cpu::VerbLookup native_functions() {
  static constexpr primitives::cpu::VerbLookup tables[] = {
      with_host<functions::v2::step_of>, with_host<functions::v3::step_of>, with_host<functions::v4::step_of>};
  return tables[primitives::cpu::native_level()];
}

execute::FunctionTable describe(const lower::FunctionTable& functions) {
  execute::FunctionTable table{native_functions(), {}, {}, {}};
  for (const lower::Function& function : functions.all()) {
    table.names.push_back(function.info->name);
    table.failures.push_back(function.info->failure);
    table.invalid_operation.push_back(function.info->invalid_operation);
  }
  return table;
}

}  // namespace

struct Engine::State {
  explicit State(int threads)
      : functions(generated_functions()),
        operators(generated_operators()),
        expressions(functions),
        table(describe(functions)),
        scheduler(threads) {}
  lower::FunctionTable functions;
  lower::OperatorTable operators;
  lower::Expressions expressions;
  execute::FunctionTable table;
  execute::Scheduler scheduler;
  std::shared_ptr<execute::Resident> resident;  // null on the CPU; rows that stay on a device keep it
};

Engine::Engine(const Options& options) : options_(options), pool_(memory::Pool::create(options.memory_limit)) {
  if (!options.spill_directory.empty()) execute::check_spill_directory(options.spill_directory);
  state_ = std::make_unique<State>(options.threads);
  if (options.device != "auto" && options.device != "cpu") {
    state_->resident = std::make_shared<execute::Resident>(open_device(options.device));
  }
}

Engine::~Engine() = default;

std::string Engine::device() const { return state_->resident ? state_->resident->device().name() : "cpu"; }

std::string Engine::device_description() const {
  return state_->resident ? state_->resident->device().description() : std::to_string(threads()) + " threads";
}

int Engine::threads() const { return state_->scheduler.threads(); }

std::vector<Refusal> Engine::check(const plan::NodePtr& root) const {
  std::vector<Refusal> refusals;
  for (lower::Refusal& refusal : lower::check(state_->operators, state_->expressions, root)) {
    refusals.push_back({refusal.code, refusal.node, refusal.expression, refusal.message});
  }
  return refusals;
}

namespace {

// Where the columns of the root's schema are among those that were made.
std::vector<size_t> places_of(const columns::Schema& schema, const execute::Collect& rows) {
  std::vector<size_t> places;
  for (const columns::Field& field : schema) {
    const columns::Schema& made = rows.schema();
    const auto found = std::find_if(made.begin(), made.end(), [&](const auto& f) { return f.name == field.name; });
    FZ_CHECK(found != made.end());
    // Polars may move an expression to where its columns have other dtypes than the plan says.
    if (found->type != field.type)
      fail(ErrorKind::unsupported, "the plan contradicts itself: column \"" + field.name + "\" is " +
                                       field.type.name() + ", and made as " + found->type.name());
    places.push_back(static_cast<size_t>(found - made.begin()));
  }
  return places;
}

// The result's columns, plain, as Polars reads them.
TablePtr plain_table(execute::Context& context, const columns::Schema& schema, execute::Collect& rows) {
  auto table = std::make_shared<columns::Table>();
  table->schema = schema;
  const std::vector<size_t> places = places_of(schema, rows);
  for (execute::Parked& batch : rows.batches()) {
    if (batch.is_on_device())
      batch = execute::Parked(context.parking, context.resident->download(context, batch.load()));
  }
  table->batches.resize(rows.batches().size());
  auto decode = [&](int, int64_t number) {
    execute::Parked& batch = rows.batches()[static_cast<size_t>(number)];
    columns::Batch& plain = table->batches[static_cast<size_t>(number)];
    plain = {batch.rows(), {}, batch.ordinal()};
    for (size_t place : places) {
      context.check_cancelled();
      plain.columns.push_back(primitives::decode(batch.take(place), context.pool));
    }
  };
  const auto batches = static_cast<int64_t>(table->batches.size());
  if (batches == 1) {
    decode(0, 0);  // sooner done than handed to another thread
  } else {
    context.scheduler->run(context, batches, decode);
  }
  return table;
}

// The result's columns as a device made them; null if the CPU did.
TablePtr device_table(const std::shared_ptr<execute::Resident>& resident, const memory::PoolPtr& pool,
                      const columns::Schema& schema, execute::Collect& rows) {
  if (rows.batches().size() != 1 || !rows.batches()[0].is_on_device()) return nullptr;
  auto table = std::make_shared<columns::Table>();
  table->schema = schema;
  const columns::Batch made = rows.batches()[0].load();
  columns::Batch& batch = table->batches.emplace_back();
  batch.rows = made.rows;
  for (size_t place : places_of(schema, rows)) batch.columns.push_back(made.columns[place]);
  table->to_host = [resident, pool](const columns::Batch& from, int64_t first) {
    execute::Context context;
    context.pool = pool;
    return resident->download(context, first < from.rows ? resident->slice(from, 0, first) : from);
  };
  return table;
}

}  // namespace

struct Stream::State {
  State(Engine& engine, Engine::State& of_engine, const plan::NodePtr& root, Watch watch);
  // Runs the next tasks of the last pipeline, and all before it if that has not been done.
  void advance(int64_t tasks);
  bool is_done() const { return last && last->is_done(); }
  TablePtr take() { return plain_table(context, root->schema, *rows); }

  plan::NodePtr root;
  execute::Context context;
  lower::Lowering lowering;
  std::shared_ptr<execute::Collect> rows = std::make_shared<execute::Collect>();
  std::unique_ptr<execute::PipelineRun> last;
  bool has_failed = false;
};

Stream::State::State(Engine& engine, Engine::State& of_engine, const plan::NodePtr& plan, Watch watch)
    : root(plan), lowering(of_engine.operators, of_engine.expressions, context, plan) {
  context.pool = engine.pool();
  context.parking = std::make_shared<execute::Parking>(engine.pool(), engine.options().spill_directory);
  context.scheduler = &of_engine.scheduler;
  context.functions = &of_engine.table;
  context.resident = of_engine.resident.get();
  context.batch_rows = engine.options().batch_rows;
  if (watch.control) context.control = std::move(watch.control);
  context.interrupted = std::move(watch.interrupted);
  context.pool->reset_peak();
  lowering.close(lowering.lower(root), rows, root);
  context.control->pipelines += static_cast<int64_t>(lowering.pipelines().size());
}

void Stream::State::advance(int64_t tasks) {
  context.run_here();
  if (!last) {
    const std::vector<execute::Pipeline>& pipelines = lowering.pipelines();
    for (size_t p = 0; p + 1 < pipelines.size(); ++p) execute::run(context, pipelines[p]);
    last = std::make_unique<execute::PipelineRun>(context, pipelines.back());
  }
  last->advance(tasks);
}

Stream::Stream(std::unique_ptr<State> state) : state_(std::move(state)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;

TablePtr Stream::next() {
  if (state_->has_failed) return nullptr;
  const int64_t tasks = 2 * state_->context.scheduler->threads();
  state_->has_failed = true;  // unless nothing throws
  while (!state_->is_done()) {
    state_->advance(tasks);
    TablePtr table = state_->take();
    if (table->rows() == 0) continue;
    state_->has_failed = false;
    return table;
  }
  state_->has_failed = false;
  return nullptr;
}

bool Stream::is_done() const { return state_->has_failed || state_->is_done(); }

Report Stream::report() const {
  const execute::Context& context = state_->context;
  Report report;
  for (const execute::NodeReport& node : context.nodes) {
    report.nodes.push_back({node.node, node.device, node.rows, node.seconds, node.bytes, node.bytes_peak,
                            node.row_groups, node.row_groups_pruned});
  }
  report.tiles_loaded = context.tiles_loaded;
  report.bytes_peak = context.pool->bytes_peak();
  report.bytes_spilled = context.parking->bytes_spilled();
  report.launches = context.launches;
  report.kernel_seconds = context.kernel_seconds;
  report.device_bytes = context.device_bytes;
  report.notes = context.notes;
  return report;
}

Stream Engine::stream(const plan::NodePtr& root, Watch watch) {
  return Stream(std::make_unique<Stream::State>(*this, *state_, root, std::move(watch)));
}

Result Engine::run(const plan::NodePtr& root, Watch watch, bool stay) {
  Stream all = stream(root, std::move(watch));
  all.state_->advance(INT64_MAX);
  TablePtr table;
  if (stay) table = device_table(state_->resident, pool_, root->schema, *all.state_->rows);
  if (!table) table = all.state_->take();
  return {std::move(table), all.report()};
}

std::string Engine::explain(const plan::NodePtr& root, bool programs) {
  std::string text = plan::print(*root);
  if (!programs) return text;
  execute::Context context;
  context.pool = pool_;
  context.parking = std::make_shared<execute::Parking>(pool_, options_.spill_directory);
  context.scheduler = &state_->scheduler;
  context.functions = &state_->table;
  lower::Lowering lowering(state_->operators, state_->expressions, context, root);
  lower::Open open = lowering.lower(root);
  lowering.close(std::move(open), std::make_shared<execute::Collect>(), root);
  int number = 0;
  for (const execute::Pipeline& pipeline : lowering.pipelines()) {
    text += "\npipeline " + std::to_string(++number) + ", ends in " +
            context.nodes[static_cast<size_t>(pipeline.node)].node + "\n" + execute::print_programs(context, pipeline);
  }
  return text;
}

std::vector<FunctionDescription> functions() {
  static constexpr const char* kShapes[] = {"map", "view", "string", "cells", "segmented", "host"};
  std::vector<FunctionDescription> described;
  for (const lower::Function& function : generated_functions()) {
    described.push_back({function.info, kShapes[static_cast<int>(function.info->shape)]});
  }
  return described;
}

}  // namespace frazil::engine
