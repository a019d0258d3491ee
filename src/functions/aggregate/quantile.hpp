#pragma once

#include "functions/function.hpp"

namespace frazil::functions {

struct quantile {
  static constexpr FunctionInfo info{
      .name = "quantile",
      .polars = {"function.quantile"},
      .shape = Shape::segmented,
      .arguments = 2,
      .payload = 1,
      .doc = "The value below which such a share of those lies that are not null; between two as the option says.",
      .example = "quantile([1, 2, 4], 0.5, \"linear\") = 2.0"};
#ifdef FZ_HOST
  static bool accepts(const CallTypes& types) {
    const std::optional<double> share = share_of(types.expressions);
    return share && *share >= 0 && *share <= 1 && lower::is_quantile_method(types.payload[0]) &&
           lower::has_moments({types.arguments.first(1), types.result, types.payload}) &&
           types.arguments[0].id != TypeId::boolean;
  }
  static columns::Column segments(const SegmentedCall& call) {
    return lower::quantiles(call, *share_of(call.expressions), *call.payload[0].as<std::string>());
  }
  static std::optional<double> share_of(std::span<const plan::ExpressionPtr> arguments) {
    if (arguments.size() < 2 || arguments[1]->kind != plan::Expression::Kind::literal) return std::nullopt;
    const double* share = std::get_if<double>(&arguments[1]->scalar);
    return share ? std::optional(*share) : std::nullopt;
  }
#endif
};

}  // namespace frazil::functions
