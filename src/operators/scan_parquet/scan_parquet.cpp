// Rows of Parquet files, row group by row group. Only the columns that are wanted are read, in the narrowest layout
// that the files' statistics allow; row groups that the predicate rules out are not read at all.
#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "lower/lowering.hpp"
#include "operators/scan_parquet/source.hpp"

namespace frazil::operators {
namespace {

plan::ExpressionPtr predicate_of(const plan::Node& node) {
  const auto& group = node.group("predicate");
  return group.empty() ? nullptr : group[0].expression;
}

void add_columns(const plan::Expression& expression, columns::Schema& fields) {
  if (expression.kind == plan::Expression::Kind::column) {
    const bool known = std::any_of(fields.begin(), fields.end(),
                                   [&](const columns::Field& field) { return field.name == expression.name; });
    if (!known) fields.push_back({expression.name, expression.type});
  }
  for (const auto& argument : expression.arguments) add_columns(*argument, fields);
}

ParquetRequest request_of(const plan::Node& node) {
  ParquetRequest request;
  if (const plan::Options* paths = node.list("paths")) {
    for (const plan::Option& path : *paths) request.paths.push_back(*path.as<std::string>());
  }
  request.fields = node.schema;
  request.predicate = predicate_of(node);
  if (request.predicate) add_columns(*request.predicate, request.fields);
  if (const plan::Options* rows = node.list("n_rows")) {
    request.offset = *rows->at(0).as<int64_t>();
    request.length = *rows->at(1).as<int64_t>();
  }
  return request;
}

std::set<std::string> names_of(const formats::FileMetadata& metadata) {
  std::set<std::string> names;
  for (const formats::Leaf& leaf : metadata.leaves) names.insert(leaf.name);
  return names;
}

bool has_twins(const formats::FileMetadata& metadata) {
  std::set<std::string> flat;
  return std::any_of(metadata.leaves.begin(), metadata.leaves.end(),
                     [&](const formats::Leaf& leaf) { return !leaf.nested && !flat.insert(leaf.name).second; });
}

// Polars has rules for files with other columns than the first; they are its own to apply.
void check(lower::Checker& checker, const plan::Node& node) {
  checker.group("predicate");
  const ParquetRequest request = request_of(node);
  std::set<std::string> first;
  for (size_t p = 0; p < request.paths.size(); ++p) {
    try {
      const formats::ScanFile file = formats::open_file(request.paths[p]);
      const auto problems = formats::find_problems(*file.metadata, request.fields);
      for (const formats::Problem& problem : problems) checker.refuse(problem.code, problem.message);
      if (!problems.empty()) return;
      if (has_twins(*file.metadata)) return checker.refuse("schema", "a file has two columns of one name");
      if (p == 0) first = names_of(*file.metadata);
      if (names_of(*file.metadata) != first) return checker.refuse("schema", "the files have different columns");
    } catch (const Error& error) {
      return checker.refuse("file", error.what());
    }
  }
}

// Keeps the rows of the predicate, and of the columns those that the node gives.
class ScanStep : public execute::Step {
 public:
  ScanStep(const lower::Expressions& expressions, plan::NodePtr node, int number)
      : expressions_(expressions), node_(std::move(node)), number_(number) {}
  void emit(execute::Assembly& assembly) override {
    assembly.enter_node(number_);
    expressions_.filter(assembly, *predicate_of(*node_));
    assembly.count_rows();
    assembly.builder().compact_here();
    assembly.scope().resize(node_->schema.size());  // columns for the predicate alone come last
  }

 private:
  const lower::Expressions& expressions_;
  plan::NodePtr node_;
  int number_;
};

double rows_of(const ParquetRequest& request) {
  int64_t rows = 0;
  for (const std::string& path : request.paths) rows += formats::open_file(path).metadata->rows;
  return static_cast<double>(std::clamp<int64_t>(rows - request.offset, 0, request.length));
}

lower::Open lower_scan(lower::Lowering& lowering, const plan::NodePtr& node) {
  const auto request = std::make_shared<const ParquetRequest>(request_of(*node));
  const int number = lowering.number(node);
  lower::Open open;
  open.rows = rows_of(*request);
  open.source = [request, number](execute::Context& context) {
    return std::make_shared<ParquetSource>(context, *request, number);
  };
  if (request->predicate) {
    open.steps.push_back(std::make_shared<ScanStep>(lowering.expressions(), node, number));
    open.rows /= 4;  // as for any filter
  }
  return open;
}

}  // namespace

extern const lower::Operator scan_parquet_operator;
const lower::Operator scan_parquet_operator{"scan_parquet", "Rows of Parquet files.", check, lower_scan};

}  // namespace frazil::operators
