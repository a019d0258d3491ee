// What lower knows of functions: a table that the build generates from src/functions. A function says which arguments
// it takes and writes its instructions; its shape decides who calls it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "execute/assembly.hpp"
#include "plan/expression.hpp"
#include "plan/signature.hpp"
#include "program/builder.hpp"

namespace frazil::lower {

using columns::DataType;
using columns::Interval;
using program::Builder;
using program::Type;
using program::Value;

// The dtypes of a call: what overloads are chosen by.
struct CallTypes {
  std::span<const DataType> arguments;
  const DataType& result;
  const plan::Options& payload;
  std::span<const plan::ExpressionPtr> expressions = {};  // the arguments, for what only takes literals
};

class FunctionTable;

// A call while its instructions are written.
struct Emit {
  Builder& builder;
  const FunctionTable& functions;
  uint16 id;  // of the function, for Builder::map
  std::span<const DataType> types;
  const DataType& result;
  const plan::Options& payload;
  std::span<const Value> values;
  int text_slot = -1;  // shapes string and host: where the text that they make lies, for Builder::call
  std::span<const plan::ExpressionPtr> expressions = {};
  // A slot for what a function makes of its literals, once for all lanes.
  std::function<int(std::shared_ptr<void>)> add_state = {};
};

// One accumulator of an aggregate.
enum class CellKind : uint8 {
  add,
  min,
  max,
  count,
  count_all,
  magnitude,  // the sum as a float, kept only where the exact one might not fit
  rounded,    // the exact sum where it is known to fit, else one of floats: Polars' means of decimals are of those
};

// What portable functions of the shape segmented are written over: on the host and on a device alike.
class SegmentPrimitives {
 public:
  virtual ~SegmentPrimitives() = default;
  // How many different values each segment has (uint32); null is one, all NaN are one, and so are both zeros.
  virtual memory::Buffer count_distinct(const columns::Column& argument) const = 0;
};

// A call of a function of the shape segmented: the rows of its arguments, segment by segment. Segment s has those from
// rows[start[s]] up to rows[start[s + 1]], in the order of their source. On a device there are only its primitives.
struct SegmentedCall {
  std::span<const columns::Column> arguments;
  int64_t segments;
  const SegmentPrimitives& primitives;
  std::span<const uint32_t> rows;
  std::span<const uint32_t> start;  // one more than there are segments
  const DataType& result;
  const plan::Options& payload;
  const memory::PoolPtr& pool;
  std::span<const plan::ExpressionPtr> expressions = {};  // the arguments, for what only takes literals
};

struct Function {
  const plan::FunctionInfo* info;
  bool (*accepts)(const CallTypes&);
  Value (*emit)(const Emit&);                         // row-wise shapes
  std::vector<CellKind> (*cells)(const CallTypes&);   // cells: its accumulators over the argument
  Value (*finish)(const Emit&);                       // cells: the result; values are the finished cells
  columns::Column (*segments)(const SegmentedCall&);  // segmented: a row for each segment
};

class FunctionTable {
 public:
  explicit FunctionTable(std::vector<Function> functions) : functions_(std::move(functions)) {}
  const std::vector<Function>& all() const { return functions_; }
  const Function& at(uint16 id) const { return functions_[id]; }
  // The overload of `name` that takes the arguments; none: nothing. Functions of the shape segmented take truth behind
  // their arguments, too: only the rows where it is true count then.
  std::optional<uint16> find(const std::string& name, const CallTypes& types) const;
  bool knows(const std::string& name) const;
  bool aggregates(const std::string& name) const;  // is the name of an aggregate
  // The only function of a name that other functions build on.
  uint16 id_of(const std::string& name) const;

 private:
  std::vector<Function> functions_;
};

}  // namespace frazil::lower
