#include "operators/scan_parquet/prune.hpp"

#include <algorithm>

namespace frazil::operators {

using columns::DataType;
using columns::Interval;
using columns::TypeId;
using plan::Expression;

namespace {

constexpr int128 kLow = static_cast<int128>(uint128{1} << 127), kHigh = static_cast<int128>(~(uint128{1} << 127));

// Whether their whole numbers at rest mean the same.
bool same_numbers(const DataType& a, const DataType& b) {
  if (!a.is_whole_number() || a.id == TypeId::categorical || a.id == TypeId::enumeration) return false;
  if (a.is_integer() && b.is_integer()) return true;
  if (a.id == TypeId::decimal && b.id == TypeId::decimal) return a.scale == b.scale;
  return a == b;
}

const int128* literal_beside(const Expression& column, const Expression& literal) {
  if (column.kind != Expression::Kind::column || literal.kind != Expression::Kind::literal) return nullptr;
  return same_numbers(column.type, literal.type) ? std::get_if<int128>(&literal.scalar) : nullptr;
}

std::string mirrored(const std::string& comparison) {
  if (comparison == "less") return "greater";
  if (comparison == "less_equal") return "greater_equal";
  if (comparison == "greater") return "less";
  if (comparison == "greater_equal") return "less_equal";
  return comparison;
}

// Values that compare so with a bound; low > high: none.
std::optional<Interval> values_that_are(const std::string& comparison, int128 bound) {
  if (comparison == "equal") return Interval{bound, bound};
  if (comparison == "less_equal") return Interval{kLow, bound};
  if (comparison == "greater_equal") return Interval{bound, kHigh};
  if (bound == kLow || bound == kHigh) return std::nullopt;
  if (comparison == "less") return Interval{kLow, bound - 1};
  if (comparison == "greater") return Interval{bound + 1, kHigh};
  return std::nullopt;
}

struct Wanted {
  const Expression* column;
  Interval values;
};

std::optional<Wanted> wanted_by_comparison(const Expression& call) {
  const Expression &left = *call.arguments[0], &right = *call.arguments[1];
  const Expression* column = &left;
  std::optional<Interval> values;
  if (const int128* bound = literal_beside(left, right)) {
    values = values_that_are(call.name, *bound);
  } else if (const int128* bound = literal_beside(right, left)) {
    column = &right;
    values = values_that_are(mirrored(call.name), *bound);
  }
  return values ? std::optional(Wanted{column, *values}) : std::nullopt;
}

std::optional<Wanted> wanted_by_between(const Expression& call) {
  const Expression& column = *call.arguments[0];
  const int128 *low = literal_beside(column, *call.arguments[1]), *high = literal_beside(column, *call.arguments[2]);
  const std::string* closed = call.payload.empty() ? nullptr : call.payload[0].as<std::string>();
  if (!low || !high || !closed) return std::nullopt;
  const bool with_low = *closed == "both" || *closed == "left", with_high = *closed == "both" || *closed == "right";
  const auto above = values_that_are(with_low ? "greater_equal" : "greater", *low);
  const auto below = values_that_are(with_high ? "less_equal" : "less", *high);
  if (!above || !below) return std::nullopt;
  return Wanted{&column, {above->low, below->high}};
}

}  // namespace

bool excludes(const ColumnFacts& facts, const Interval& values) {
  if (facts.all_null || values.low > values.high) return true;
  return facts.bounds && (values.low > facts.bounds->high || values.high < facts.bounds->low);
}

bool contradicts(const Expression& conjunct, const FactsOf& facts_of) {
  if (conjunct.kind != Expression::Kind::call) return false;
  std::optional<Wanted> wanted;
  if (conjunct.name == "is_between" && conjunct.arguments.size() == 3) {
    wanted = wanted_by_between(conjunct);
  } else if (conjunct.arguments.size() == 2) {
    wanted = wanted_by_comparison(conjunct);
  }
  return wanted && excludes(facts_of(wanted->column->name), wanted->values);
}

}  // namespace frazil::operators
