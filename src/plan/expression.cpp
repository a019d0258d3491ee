#include "plan/expression.hpp"

#include <algorithm>
#include <bit>

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

std::string text_of(const Option& option) {
  if (const auto* truth = option.as<bool>()) return *truth ? "true" : "false";
  if (const auto* whole = option.as<int64_t>()) return std::to_string(*whole);
  if (const auto* real = option.as<double>()) return std::to_string(*real);
  if (const auto* text = option.as<std::string>()) return "\"" + *text + "\"";
  const auto* list = option.as<Options>();
  if (!list) return "none";
  std::string text = "[";
  for (size_t i = 0; i < list->size(); ++i) text += (i ? ", " : "") + text_of((*list)[i]);
  return text + "]";
}

}  // namespace

std::string Expression::text() const {
  if (kind == Kind::column) return name;
  if (kind == Kind::literal) return text_of(scalar) + ":" + type.name();
  std::string line = name + "(";
  const char* separator = "";
  for (const auto& argument : arguments) {
    line += separator + argument->text();
    separator = ", ";
  }
  if (name == "cast") return line + "):" + type.name();  // its payload is only how it fails
  for (const Option& option : payload) {
    line += separator + text_of(option);
    separator = ", ";
  }
  return line + ")";
}

bool Expression::operator==(const Expression& other) const {
  // By bits: 0.0 and -0.0 are different literals.
  const double *a = std::get_if<double>(&scalar), *b = std::get_if<double>(&other.scalar);
  const bool same_scalar = a && b ? std::bit_cast<uint64_t>(*a) == std::bit_cast<uint64_t>(*b) : scalar == other.scalar;
  return kind == other.kind && name == other.name && type == other.type && same_scalar && payload == other.payload &&
         std::equal(arguments.begin(), arguments.end(), other.arguments.begin(), other.arguments.end(),
                    [](const ExpressionPtr& a, const ExpressionPtr& b) { return *a == *b; });
}

}  // namespace frazil::plan
