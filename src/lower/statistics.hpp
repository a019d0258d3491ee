// Aggregates over all values of a group, for functions of the shape segmented. Host only.
#pragma once

#include "lower/rules.hpp"

namespace frazil::lower {

// The values of a call's first argument as one type, whatever its dtype, in the order of the call's rows; a decimal's
// are scaled.
template <class T>
class Numbers {
 public:
  explicit Numbers(const SegmentedCall& call);
  // The values of a segment that are not null.
  template <class F>
  void each(size_t segment, F f) const {
    for (uint32_t at = start_[segment]; at < start_[segment + 1]; ++at) {
      if (column_.is_valid(at)) f(values_[at]);
    }
  }

 private:
  columns::Column column_;
  std::span<const uint32_t> start_;
  std::vector<T> values_;
};

// Numbers and truth, of which statistics are Float64, or Float32 of such.
bool has_moments(const CallTypes& types);
columns::Column variances(const SegmentedCall& call, int64_t ddof, bool root);
bool is_quantile_method(const plan::Option& option);
columns::Column quantiles(const SegmentedCall& call, double share, const std::string& method);

}  // namespace frazil::lower
