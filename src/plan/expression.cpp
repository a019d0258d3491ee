#include "plan/expression.hpp"

#include <algorithm>

namespace frazil::plan {

ExpressionPtr column(std::string name, DataType type) {
  return std::make_shared<Expression>(
      Expression{Expression::Kind::column, std::move(type), std::move(name), {}, {}, {}});
}

ExpressionPtr literal(Scalar scalar, DataType type) {
  return std::make_shared<Expression>(
      Expression{Expression::Kind::literal, std::move(type), "", std::move(scalar), {}, {}});
}

ExpressionPtr call(std::string function, std::vector<ExpressionPtr> arguments, DataType type, Options payload) {
  return std::make_shared<Expression>(Expression{
      Expression::Kind::call, std::move(type), std::move(function), {}, std::move(arguments), std::move(payload)});
}

std::string text_of(int128 value) {
  uint128 rest = value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

namespace {

std::string text_of(const Scalar& scalar) {
  if (const bool* truth = std::get_if<bool>(&scalar)) return *truth ? "true" : "false";
  if (const int128* whole = std::get_if<int128>(&scalar)) return plan::text_of(*whole);
  if (const double* real = std::get_if<double>(&scalar)) return std::to_string(*real);
  if (const std::string* text = std::get_if<std::string>(&scalar)) return "\"" + *text + "\"";
  return "null";
}

}  // namespace

std::string Expression::text() const {
  if (kind == Kind::column) return name;
  if (kind == Kind::literal) return text_of(scalar) + ":" + type.name();
  std::string line = name + "(";
  for (size_t i = 0; i < arguments.size(); ++i) line += (i ? ", " : "") + arguments[i]->text();
  line += ")";
  return name == "cast" ? line + ":" + type.name() : line;
}

}  // namespace frazil::plan
