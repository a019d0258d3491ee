// Aggregates over all values of a group, for functions of the shape segmented. Host only.
#pragma once

#include "lower/rules.hpp"

namespace frazil::lower {

// A column's values as one type, whatever its dtype; a decimal's are scaled.
template <class T>
class Numbers {
 public:
  Numbers(const columns::Column& column, const memory::PoolPtr& pool);
  // The values of a segment that are not null.
  template <class F>
  void each(const SegmentedCall& call, size_t segment, F f) const {
    for (uint32_t at = call.start[segment]; at < call.start[segment + 1]; ++at) {
      const uint32_t row = call.rows[at];
      if (column_.is_valid(row)) f(values_[row]);
    }
  }

 private:
  columns::Column column_;
  std::vector<T> values_;
};

// Numbers and truth, of which statistics are Float64, or Float32 of such.
bool has_moments(const CallTypes& types);
columns::Column variances(const SegmentedCall& call, int64_t ddof, bool root);
bool is_quantile_method(const plan::Option& option);
columns::Column quantiles(const SegmentedCall& call, double share, const std::string& method);

}  // namespace frazil::lower
