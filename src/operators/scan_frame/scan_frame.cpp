// Rows of frames in memory, as Polars has them.
#include <algorithm>

#include "execute/resident.hpp"
#include "execute/scheduler.hpp"
#include "execute/source.hpp"
#include "lower/lowering.hpp"
#include "lower/rules.hpp"

namespace frazil::operators {
namespace {

// Values of wide whole numbers are measured once, so that arithmetic on them can run in narrow registers.
bool worth_measuring(const columns::Column& column) {
  return column.type.is_whole_number() && columns::bytes_per_row(column.physical) >= 4 && column.rows > 0;
}

// A part of a column, measured by itself; nothing where it has no values.
struct Part {
  columns::Column* column;
  columns::Column rows;
  std::optional<columns::Interval> interval;
};

void measure(execute::Context& context, std::vector<columns::Batch>& batches) {
  constexpr int64_t kRows = 1 << 18;
  std::vector<Part> parts;
  for (columns::Batch& batch : batches) {
    for (columns::Column& column : batch.columns) {
      for (int64_t row = 0; worth_measuring(column) && row < column.rows; row += kRows)
        parts.push_back({&column, columns::slice(column, row, std::min(kRows, column.rows - row)), {}});
    }
  }
  const auto count = static_cast<int64_t>(parts.size());
  execute::on_all_threads(context)(count, [&](int64_t p) {
    context.check_cancelled();
    Part& part = parts[static_cast<size_t>(p)];
    part.interval = columns::measure_interval(part.rows);
  });
  for (Part& part : parts) part.column->interval.reset();
  for (const Part& part : parts) {
    auto& all = part.column->interval;
    if (!part.interval) continue;
    all = all ? columns::Interval{std::min(all->low, part.interval->low), std::max(all->high, part.interval->high)}
              : *part.interval;
  }
  // UInt128 may have values that an interval cannot hold: a part without one says nothing of the others then.
  for (const Part& part : parts) {
    if (!part.interval && part.column->type.id == columns::TypeId::uint128) part.column->interval.reset();
  }
}

void add_address(std::string& key, const memory::Buffer& buffer) {
  key += ":" + std::to_string(reinterpret_cast<uintptr_t>(buffer.as()));
}

// The addresses of a frame's buffers. They name its rows for as long as the source holds the buffers. Two frames may
// share values and differ in validity or length.
std::string key_of(const columns::Table& table) {
  std::string key = "frame";
  for (const columns::Field& field : table.schema) key += "/" + field.name + " " + field.type.name();
  for (const columns::Batch& batch : table.batches) {
    key += "/" + std::to_string(batch.rows);
    for (const columns::Column& column : batch.columns) {
      key += "+" + std::to_string(column.offset);
      add_address(key, column.values);
      add_address(key, column.validity);
      for (const memory::Buffer& buffer : column.characters) add_address(key, buffer);
    }
  }
  return key;
}

bool lies_with(const execute::Context& context, const columns::Batch& batch) {
  return context.resident &&
         std::all_of(batch.columns.begin(), batch.columns.end(),
                     [&](const columns::Column& column) { return column.values.place() == context.resident->place(); });
}

void check(lower::Checker&, const plan::Node&) {}

lower::Open lower_scan(lower::Lowering& lowering, const plan::NodePtr& node) {
  lower::Open open;
  open.rows = static_cast<double>(node->table->rows());
  const auto number = static_cast<size_t>(lowering.number(node));
  open.source = [node, number](execute::Context& context) {
    // What an engine left on its device is read there by the engines of that device.
    const std::vector<columns::Batch>& made = node->table->batches;
    if (node->table->to_host && lies_with(context, made[0])) {
      context.nodes[number].rows += made[0].rows;
      return execute::device_source(node->schema, made[0]);
    }
    std::vector<columns::Batch> batches = columns::head(node->table, node->table->rows())->batches;
    measure(context, batches);
    for (const columns::Batch& batch : batches) context.nodes[number].rows += batch.rows;
    return execute::table_source(context, node->schema, std::move(batches), key_of(*node->table));
  };
  return open;
}

}  // namespace

extern const lower::Operator scan_frame_operator;
const lower::Operator scan_frame_operator{"scan_frame", "Frames in memory.", check, lower_scan};

}  // namespace frazil::operators
