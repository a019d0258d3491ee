#include "execute/order.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/target.hpp"
#include "execute/resident.hpp"
#include "execute/source.hpp"
#include "primitives/move.hpp"
#include "primitives/ordered_bits.hpp"

namespace frazil::execute {

using columns::Column;
using columns::Encoding;
using columns::Interval;
using program::Element;

namespace {

template <class F>
void with_element(const Column& column, F f) {
  switch (element_of(column)) {
    case Element::i8: return f(int8{});
    case Element::i16: return f(int16{});
    case Element::i32: return f(int32{});
    case Element::i64: return f(int64{});
    case Element::i128: return f(int128{});
    case Element::u8: return f(uint8{});
    case Element::u16: return f(uint16{});
    case Element::u32: return f(uint32{});
    case Element::u64: return f(uint64{});
    case Element::u128: return f(uint128{});
    case Element::f32: return f(float{});
    case Element::f64: return f(double{});
    default: FZ_CHECK(false);
  }
}

// A key column as numbers from 0 that order as its values do.
struct Ranks {
  std::vector<uint128> values;
  int bits = 0;
};

// Calls f(row) for all rows, unless the query is cancelled meanwhile.
template <class F>
void each_row(const Context& context, int64_t rows, F f) {
  constexpr int64_t kSome = 1 << 16;
  for (int64_t row = 0; row < rows;) {
    context.check_cancelled();
    for (const int64_t end = std::min(row + kSome, rows); row < end; ++row) f(row);
  }
}

std::vector<uint128> zeros(const Context& context, int64_t rows) {
  constexpr int64_t kSome = 1 << 18;  // the system hands out pages slowly
  std::vector<uint128> values;
  values.reserve(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; row += kSome) {
    context.check_cancelled();
    values.resize(static_cast<size_t>(std::min(row + kSome, rows)), 0);
  }
  return values;
}

// A comparison that looks now and then whether the query was cancelled.
template <class Before>
auto interruptible(const Context& context, Before before) {
  return [&context, before, asked = uint32{0}](const auto& a, const auto& b) mutable {
    if (++asked % (1 << 12) == 0) context.check_cancelled();
    return before(a, b);
  };
}

int bits_for(uint128 highest) {
  int bits = 0;
  for (; highest; highest >>= 1) ++bits;
  return bits;
}

// Where each value of a dictionary stands in sorted order.
std::vector<uint32_t> rank_dictionary(const Context& context, const Column& dictionary) {
  std::vector<uint32_t> order(static_cast<size_t>(dictionary.rows)), rank(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), interruptible(context, [&](uint32_t a, uint32_t b) {
              return columns::text_at(dictionary, a) < columns::text_at(dictionary, b);
            }));
  uint32_t next = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && columns::text_at(dictionary, order[i]) != columns::text_at(dictionary, order[i - 1])) ++next;
    rank[order[i]] = next;
  }
  return rank;
}

// Values of valid rows as numbers from 0; other rows hold 0.
void read_values(const Context& context, const Column& column, Ranks& ranks) {
  if (column.encoding == Encoding::dictionary) {
    const std::vector<uint32_t> rank = rank_dictionary(context, *column.dictionary);
    with_element(column, [&](auto zero) {
      const auto* codes = column.values.as<decltype(zero)>() + column.offset;
      each_row(context, column.rows, [&](int64_t row) {
        if (column.is_valid(row)) ranks.values[static_cast<size_t>(row)] = rank[static_cast<size_t>(codes[row])];
      });
    });
    ranks.bits = bits_for(rank.size());
  } else if (column.physical == columns::Physical::bits) {
    each_row(context, column.rows, [&](int64_t row) {
      const int64_t bit = column.offset + row;
      if (column.is_valid(row))
        ranks.values[static_cast<size_t>(row)] = column.values.as<uint8>()[bit >> 3] >> (bit & 7) & 1;
    });
    ranks.bits = 1;
  } else {
    const std::optional<Interval> interval = column.type.is_float() ? std::nullopt : columns::measure_interval(column);
    const Interval known = interval.value_or(Interval{column.base, column.base});
    const auto low = static_cast<uint128>(known.low - column.base);
    with_element(column, [&](auto zero) {
      using T = decltype(zero);
      const T* values = column.values.as<T>() + column.offset;
      each_row(context, column.rows, [&](int64_t row) {
        if (!column.is_valid(row)) return;
        if constexpr (std::is_floating_point_v<T>) {
          ranks.values[static_cast<size_t>(row)] = primitives::ordered_bits(static_cast<double>(values[row]));
        } else {
          ranks.values[static_cast<size_t>(row)] = static_cast<uint128>(values[row]) - low;
        }
      });
    });
    ranks.bits = column.type.is_float() ? 64 : 0;
    if (interval) ranks.bits = bits_for(static_cast<uint128>(known.high) - static_cast<uint128>(known.low));
  }
}

// The same order with fewer bits: each value becomes its place among all of them.
void make_dense(const Context& context, Ranks& ranks) {
  memory::Reservation reservation(context.pool, "sort");
  reservation.resize(static_cast<int64_t>(ranks.values.size() * sizeof(uint128)));
  std::vector<uint128> known = ranks.values;
  std::sort(known.begin(), known.end(), interruptible(context, std::less<uint128>()));
  known.erase(std::unique(known.begin(), known.end()), known.end());
  each_row(context, static_cast<int64_t>(ranks.values.size()), [&](int64_t row) {
    uint128& value = ranks.values[static_cast<size_t>(row)];
    value = static_cast<uint128>(std::lower_bound(known.begin(), known.end(), value) - known.begin());
  });
  ranks.bits = bits_for(known.size());
}

Ranks rank(const Context& context, const SortKey& key) {
  const Column& column = key.column;
  Ranks ranks{zeros(context, column.rows)};
  read_values(context, column, ranks);
  if (ranks.bits >= 128 && column.has_nulls()) make_dense(context, ranks);  // there is no bit left for nulls
  const uint128 highest = ranks.bits >= 128 ? ~uint128{0} : (uint128{1} << ranks.bits) - 1;
  if (key.descending) {
    each_row(context, column.rows, [&](int64_t row) {
      uint128& value = ranks.values[static_cast<size_t>(row)];
      value = highest - value;
    });
  }
  if (!column.has_nulls()) return ranks;
  each_row(context, column.rows, [&](int64_t row) {
    uint128& value = ranks.values[static_cast<size_t>(row)];
    const bool valid = column.is_valid(row);
    // One more bit above the values tells nulls apart.
    value = key.nulls_last ? (valid ? value : highest + 1) : (valid ? value + highest + 1 : 0);
  });
  ++ranks.bits;
  return ranks;
}

bool is_text(const SortKey& key) {
  return key.column.type.is_string_like() && key.column.encoding != Encoding::dictionary;
}

template <class Before>
std::vector<uint32_t> order_rows(const Context& context, int64_t rows, int64_t limit, Before before_row) {
  const auto before = interruptible(context, before_row);
  std::vector<uint32_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  if (limit >= 0 && limit < rows) {
    std::partial_sort(order.begin(), order.begin() + limit, order.end(), before);
    order.resize(static_cast<size_t>(limit));
  } else {
    std::sort(order.begin(), order.end(), before);
  }
  return order;
}

// -1, 0 or 1 for text keys, nulls placed.
int compare_text(const SortKey& key, uint32_t a, uint32_t b) {
  const bool has_a = key.column.is_valid(a), has_b = key.column.is_valid(b);
  if (!has_a || !has_b) {
    if (has_a == has_b) return 0;
    return has_a == key.nulls_last ? -1 : 1;
  }
  const int order = columns::text_at(key.column, a).compare(columns::text_at(key.column, b));
  return key.descending ? -order : order;
}

}  // namespace

std::optional<memory::Buffer> sorted_rows_on_device(Context& context, std::span<const SortKey> keys, int64_t rows) {
  std::vector<primitives::DeviceSortKey> on_device;
  for (const SortKey& key : keys) {
    if (is_text(key)) return std::nullopt;
    on_device.push_back({&key.column, key.descending, key.nulls_last, {}});
    if (key.column.encoding == Encoding::dictionary)
      on_device.back().ranks = rank_dictionary(context, *key.column.dictionary);
  }
  return context.resident->device().order(on_device, rows);
}

std::vector<uint32_t> sorted_rows(const Context& context, std::span<const SortKey> keys, int64_t rows, int64_t limit) {
  FZ_CHECK(rows < primitives::kNoRow);
  memory::Reservation reservation(context.pool, "sort");
  // The ranks of each key, the packed ones of all, and the order.
  reservation.resize(rows * static_cast<int64_t>(sizeof(uint128) * (keys.size() + 1) + sizeof(uint32_t)));
  std::vector<Ranks> ranks;
  int bits = 0;
  bool any_text = false;
  for (const SortKey& key : keys) {
    any_text |= is_text(key);
    ranks.push_back(is_text(key) ? Ranks{} : rank(context, key));
    bits += ranks.back().bits;
  }
  if (!any_text && bits <= 128) {
    std::vector<uint128> packed = zeros(context, rows);
    for (const Ranks& one : ranks) {
      each_row(context, rows, [&](int64_t at) {
        const auto row = static_cast<size_t>(at);
        packed[row] = (one.bits >= 128 ? 0 : packed[row] << one.bits) | one.values[row];
      });
    }
    return order_rows(context, rows, limit,
                      [&](uint32_t a, uint32_t b) { return packed[a] != packed[b] ? packed[a] < packed[b] : a < b; });
  }
  return order_rows(context, rows, limit, [&](uint32_t a, uint32_t b) {
    for (size_t k = 0; k < keys.size(); ++k) {
      if (is_text(keys[k])) {
        if (const int order = compare_text(keys[k], a, b)) return order < 0;
      } else if (ranks[k].values[a] != ranks[k].values[b]) {
        return ranks[k].values[a] < ranks[k].values[b];
      }
    }
    return a < b;
  });
}

}  // namespace frazil::execute
