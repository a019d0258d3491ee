// Rows of frames in memory, as Polars has them.
#include "execute/source.hpp"
#include "lower/lowering.hpp"
#include "lower/rules.hpp"

namespace frazil::operators {
namespace {

// Values of wide whole numbers are measured once, so that arithmetic on them can run in narrow registers.
bool worth_measuring(const columns::Column& column) {
  return column.type.is_whole_number() && columns::bytes_per_row(column.physical) >= 4 && column.rows > 0;
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

void check(lower::Checker&, const plan::Node&) {}

lower::Open lower_scan(lower::Lowering& lowering, const plan::NodePtr& node) {
  lower::Open open;
  open.rows = static_cast<double>(node->table->rows());
  const auto number = static_cast<size_t>(lowering.number(node));
  open.source = [node, number](execute::Context& context) {
    std::vector<columns::Batch> batches = node->table->batches;
    for (columns::Batch& batch : batches) {
      context.nodes[number].rows += batch.rows;
      for (columns::Column& column : batch.columns) {
        if (worth_measuring(column)) column.interval = columns::measure_interval(column);
      }
    }
    return execute::table_source(context, node->schema, std::move(batches), key_of(*node->table));
  };
  return open;
}

}  // namespace

extern const lower::Operator scan_frame_operator;
const lower::Operator scan_frame_operator{"scan_frame", "Frames in memory.", check, lower_scan};

}  // namespace frazil::operators
