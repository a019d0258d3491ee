#include "lower/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "primitives/move.hpp"

namespace frazil::lower {

using columns::TypeId;

namespace {

// Calls f(T{}) with the type that a plain column of numbers has at rest.
template <class F>
void with_number(const DataType& type, F f) {
  switch (type.id) {
    case TypeId::int8: return f(int8_t{});
    case TypeId::int16: return f(int16_t{});
    case TypeId::int32: return f(int32_t{});
    case TypeId::int64: return f(int64_t{});
    case TypeId::int128:
    case TypeId::decimal: return f(int128{});
    case TypeId::uint8: return f(uint8_t{});
    case TypeId::uint16: return f(uint16_t{});
    case TypeId::uint32: return f(uint32_t{});
    case TypeId::uint64: return f(uint64_t{});
    case TypeId::float32: return f(float{});
    case TypeId::float64: return f(double{});
    default: FZ_CHECK(false);
  }
}

}  // namespace

template <class T>
Numbers<T>::Numbers(const SegmentedCall& call)
    : column_(primitives::decode(primitives::gather(call.arguments[0], call.rows, call.pool), call.pool)),
      start_(call.start),
      values_(call.rows.size()) {
  const auto rows = static_cast<size_t>(column_.rows), offset = static_cast<size_t>(column_.offset);
  if (column_.type.id == TypeId::boolean) {
    const auto* bits = column_.values.as<uint8_t>();
    for (size_t row = 0; row < rows; ++row)
      values_[row] = static_cast<T>(bits[(offset + row) >> 3] >> ((offset + row) & 7) & 1);
    return;
  }
  with_number(column_.type, [&](auto zero) {
    const auto* from = column_.values.as<decltype(zero)>() + offset;
    std::transform(from, from + rows, values_.begin(), [](auto value) { return static_cast<T>(value); });
  });
  if (std::is_floating_point_v<T> && column_.type.scale > 0) {
    const T unit = static_cast<T>(power_of_ten(column_.type.scale));
    for (T& value : values_) value /= unit;
  }
}

template class Numbers<int64>;
template class Numbers<int128>;
template class Numbers<float>;
template class Numbers<double>;

bool has_moments(const CallTypes& types) {
  const DataType& from = types.arguments[0];
  return summable(from) && types.result.id == (from.id == TypeId::float32 ? from.id : TypeId::float64);
}

namespace {

// A column of one float a segment; f gives none for null.
template <class F>
columns::Column real_of_segments(const SegmentedCall& call, F f) {
  columns::Column made = plain_column(call.result, call.segments, call.pool);
  made.validity = call.pool->allocate_zeroed((call.segments + 7) / 8, "segments");
  for (size_t s = 0; s + 1 < call.start.size(); ++s) {
    const std::optional<double> value = f(s);
    const double real = value.value_or(0);
    if (call.result.id == TypeId::float32) made.values.mutable_as<float>()[s] = static_cast<float>(real);
    else made.values.mutable_as<double>()[s] = real;
    if (value) made.validity.mutable_as<uint8_t>()[s >> 3] |= static_cast<uint8_t>(1 << (s & 7));
  }
  return made;
}

}  // namespace

columns::Column variances(const SegmentedCall& call, int64_t ddof, bool root) {
  const Numbers<double> numbers(call);
  return real_of_segments(call, [&](size_t s) -> std::optional<double> {
    double count = 0, mean = 0, squares = 0;  // Welford's
    numbers.each(s, [&](double value) {
      ++count;
      const double from_mean = value - mean;
      mean += from_mean / count;
      squares += (value - mean) * from_mean;
    });
    if (count <= static_cast<double>(ddof)) return std::nullopt;
    double variance = squares / (count - static_cast<double>(ddof));
    if (variance < 0) variance = 0;
    return root ? std::sqrt(variance) : variance;
  });
}

namespace {

constexpr std::array<const char*, 6> kMethods = {"nearest", "lower", "higher", "midpoint", "linear", "equiprobable"};

bool is_less(double a, double b) { return b != b ? a == a : a < b; }  // NaN is last

// Where among sorted values, of which the first ones are null, the quantile lies: from a place up to another one.
struct Place {
  int64_t low, high;
  double exact;
};

Place place_of(double share, int64_t values, int64_t nulls, const std::string& method) {
  const auto count = static_cast<double>(values);
  const double exact = (count - 1) * share + static_cast<double>(nulls);
  auto at = [&](double place) { return std::clamp<int64_t>(static_cast<int64_t>(place) - nulls, 0, values - 1); };
  if (method == "nearest") return {at(std::round(exact)), at(std::round(exact)), exact};
  if (method == "equiprobable") {
    const int64_t place = at(std::max(std::ceil(count * share) - 1, 0.0) + static_cast<double>(nulls));
    return {place, place, exact};
  }
  if (method == "lower") return {at(exact), at(exact), exact};
  if (method == "higher") return {at(std::ceil(exact)), at(std::ceil(exact)), exact};
  return {at(exact), at(std::ceil(exact)), exact};
}

double between(double low, double high, const std::string& method, double share) {
  if (low == high) return low;
  return method == "midpoint" ? (low + high) / 2 : share * (high - low) + low;
}

}  // namespace

bool is_quantile_method(const plan::Option& option) {
  const std::string* method = option.as<std::string>();
  return method && std::find(kMethods.begin(), kMethods.end(), *method) != kMethods.end();
}

columns::Column quantiles(const SegmentedCall& call, double share, const std::string& method) {
  const Numbers<double> numbers(call);
  std::vector<double> values;
  return real_of_segments(call, [&](size_t s) -> std::optional<double> {
    values.clear();
    numbers.each(s, [&](double value) { values.push_back(value); });
    if (values.empty()) return std::nullopt;
    const auto count = static_cast<int64_t>(values.size()), nulls = int64_t{call.start[s + 1] - call.start[s]} - count;
    const Place place = place_of(share, count, nulls, method);
    const auto low = values.begin() + place.low;
    std::nth_element(values.begin(), low, values.end(), is_less);
    if (place.low == place.high) return *low;
    const double high = *std::min_element(low + 1, values.end(), is_less);
    return between(*low, high, method, place.exact - static_cast<double>(place.low + nulls));
  });
}

}  // namespace frazil::lower
