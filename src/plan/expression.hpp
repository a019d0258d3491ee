// What to compute a row, as a tree. Immutable; made by the translation from Polars.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/export.hpp"
#include "base/target.hpp"
#include "columns/dtype.hpp"

namespace frazil::plan {

using columns::DataType;

// A literal in physical form: dates are days, times nanoseconds, datetimes and durations their unit, decimals unscaled.
using Scalar = std::variant<std::monostate, bool, int128, double, std::string>;

// An option of a function or node.
struct Option;
using Options = std::vector<Option>;
struct Option {
  std::variant<std::monostate, bool, int64_t, double, std::string, Options> value;
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  bool operator==(const Option&) const = default;
};

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

struct FRAZIL_API Expression {
  enum class Kind : uint8_t { column, literal, call };
  Kind kind;
  DataType type;
  std::string name;  // of the column or the function
  Scalar scalar;     // literal
  std::vector<ExpressionPtr> arguments;
  Options payload;

  std::string text() const;  // for people: two expressions may read the same
  bool operator==(const Expression& other) const;
};

FRAZIL_API ExpressionPtr column(std::string name, DataType type);
FRAZIL_API ExpressionPtr literal(Scalar scalar, DataType type);
FRAZIL_API ExpressionPtr call(std::string function, std::vector<ExpressionPtr> arguments, DataType type,
                              Options payload = {});

struct Named {
  std::string name;
  ExpressionPtr expression;
};

// A 128-bit whole number in decimal digits.
FRAZIL_API std::string text_of(int128 value);

}  // namespace frazil::plan
