#include "formats/parquet/values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "formats/parquet/kernels.hpp"
#include "formats/parquet/runs.hpp"
#include "formats/parquet/schema.hpp"
#include "formats/parquet/texts.hpp"

namespace frazil::formats {

using columns::Encoding;
using columns::Interval;

namespace {

void require(bool condition, const char* what) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::compute, std::string("Parquet: ") + what);
}

int log2_of(int bytes) { return std::countr_zero(static_cast<unsigned>(bytes)); }

template <class Visit>
void with_row_type(int bytes, Visit visit) {
  switch (bytes) {
    case 1: return visit(uint8{});
    case 2: return visit(uint16{});
    case 4: return visit(uint32{});
    case 8: return visit(uint64{});
    default: return visit(uint128{});
  }
}

void repeat(const void* entry, int bytes, int64_t count, void* to) {
  with_row_type(bytes, [&]<class T>(T) {
    T value;
    std::memcpy(&value, entry, sizeof value);
    std::fill_n(static_cast<T*>(to), count, value);
  });
}

}  // namespace

void fail_statistics(const Leaf& leaf) {
  fail(ErrorKind::compute, "Parquet: the statistics of column \"" + leaf.name +
                               "\" are wrong, they exclude values that it has; write the file again");
}

bool Values::dictionary(const PageBody& body, int64_t count) {
  require(!has_dictionary_, "a chunk has two dictionaries");
  require(count <= static_cast<int64_t>(body.values.size()), "a dictionary has fewer values than it says");
  has_dictionary_ = true;
  entries_ = count;
  entries_array_ = pool_->allocate(count * row_bytes_, "scan_parquet");
  return plain(body, count, entries_array_.mutable_as<void>());
}

void Values::codes(std::span<const uint8_t> runs, int bits, int64_t count, void* to) {
  auto* out = static_cast<uint8_t*>(to);
  const auto gather = kernels().gather[log2_of(row_bytes_)];
  for_each_code(
      runs, bits, count, static_cast<uint32>(entries_),
      [&](const uint32* codes, int64 rows) {
        gather(codes, rows, entries_array_.as(), out);
        out += rows * row_bytes_;
      },
      [&](uint32 code, int64 rows) {
        repeat(entries_array_.as<uint8_t>() + int64{code} * row_bytes_, row_bytes_, rows, out);
        out += rows * row_bytes_;
      });
}

namespace {

// --- numbers
// ----------------------------------------------------------------------------------------------------------

// Dictionaries may hold values that no row has; only rows are held to the statistics.
class CheckedValues : public Values {
 public:
  using Values::Values;
  bool dictionary(const PageBody& body, int64_t count) override {
    reading_dictionary_ = true;
    Values::dictionary(body, count);
    reading_dictionary_ = false;
    return false;
  }
  void codes(std::span<const uint8_t> runs, int bits, int64_t count, void* to) override {
    Values::codes(runs, bits, count, to);
    if (!excluded_.empty()) check_codes(runs, bits, count);
  }

 protected:
  bool reading_dictionary_ = false;
  std::vector<uint8_t> excluded_;  // by code; empty: none is
  const Leaf* leaf_ = nullptr;

 private:
  void check_codes(std::span<const uint8_t> runs, int bits, int64_t count) const {
    auto check = [&](uint32 code) {
      if (excluded_[code]) fail_statistics(*leaf_);
    };
    for_each_code(
        runs, bits, count, static_cast<uint32>(entries_),
        [&](const uint32* codes, int64 rows) { std::for_each(codes, codes + rows, check); },
        [&](uint32 code, int64) { check(code); });
  }
};

// Numbers of 4 and 8 bytes that become at most as wide.
class NumberValues : public CheckedValues {
 public:
  NumberValues(const Leaf& leaf, const Layout& layout, memory::PoolPtr pool)
      : CheckedValues(columns::bytes_per_row(layout.like.physical), std::move(pool)),
        stored_bytes_(leaf.stored == Stored::int32 || leaf.stored == Stored::float32 ? 4 : 8),
        narrow_(kernels().narrow[stored_bytes_ == 8][log2_of(row_bytes())]),
        base_(static_cast<uint64>(layout.like.base)) {
    leaf_ = &leaf;
    if (layout.like.interval) set_bounds(*layout.like.interval);
  }

  // Whether there is a loop for this leaf and layout.
  static bool suits(const Leaf& leaf, const Layout& layout) {
    const int bytes = columns::bytes_per_row(layout.like.physical);
    if (leaf.stored == Stored::int32 || leaf.stored == Stored::float32) return bytes <= 4;
    return (leaf.stored == Stored::int64 || leaf.stored == Stored::float64) && bytes <= 8;
  }

  bool plain(const PageBody& body, int64_t count, void* to) override {
    require(count * stored_bytes_ <= static_cast<int64_t>(body.values.size()), "a page is too short for its values");
    const uint8_t* from = body.values.data();
    if (narrow_(from, count, base_, low_, high_, to)) return false;
    if (!reading_dictionary_) fail_statistics(*leaf_);
    excluded_.resize(static_cast<size_t>(count));
    uint64 unused;
    for (int64_t i = 0; i < count; ++i) {
      excluded_[static_cast<size_t>(i)] = !narrow_(from + i * stored_bytes_, 1, base_, low_, high_, &unused);
    }
    return false;
  }

 private:
  // Other files of the scan may store wider numbers; bounds beyond this leaf's own range are cut to it.
  void set_bounds(const Interval& interval) {
    const int bits = 8 * stored_bytes_;
    const int128 low = leaf_->is_unsigned ? 0 : -(int128{1} << (bits - 1));
    const int128 high = low + ((int128{1} << bits) - 1);
    low_ = static_cast<uint64>(std::clamp(interval.low, low, high));
    high_ = static_cast<uint64>(std::clamp(interval.high, low, high));
  }

  int stored_bytes_;
  Narrow narrow_;
  uint64 base_;
  uint64 low_ = 0, high_ = ~uint64{0};
};

// Decimals in bytes, and whole numbers that become wider: one by one.
class WideValues : public CheckedValues {
 public:
  WideValues(const Leaf& leaf, const Layout& layout, memory::PoolPtr pool)
      : CheckedValues(columns::bytes_per_row(layout.like.physical), std::move(pool)), layout_(layout) {
    leaf_ = &leaf;
  }

  bool plain(const PageBody& body, int64_t count, void* to) override {
    if (reading_dictionary_) excluded_.assign(static_cast<size_t>(count), 0);
    with_row_type(row_bytes(), [&]<class T>(T) { store(body.values, count, static_cast<T*>(to)); });
    if (std::find(excluded_.begin(), excluded_.end(), 1) == excluded_.end()) excluded_.clear();
    return false;
  }

 private:
  template <class T>
  void store(std::span<const uint8_t> bytes, int64_t count, T* to) {
    const Interval& allowed = layout_.like.interval ? *layout_.like.interval : kEverything;
    auto put = [&](int64_t row, int128 value) {
      if (value < allowed.low || value > allowed.high) [[unlikely]] {
        if (!reading_dictionary_) fail_statistics(*leaf_);
        excluded_[static_cast<size_t>(row)] = 1;
      }
      to[row] = static_cast<T>(static_cast<uint128>(value) - static_cast<uint128>(layout_.like.base));
    };
    if (leaf_->stored == Stored::bytes) {
      int64_t row = 0;
      for_each_text(bytes, count, [&](const uint8* text, uint32 length) {
        require(length <= 16, "a decimal has more than 128 bits");
        put(row++, big_endian(text, length));
      });
      return;
    }
    const int64_t width = leaf_->stored == Stored::int32 ? 4 : leaf_->stored == Stored::int64 ? 8 : leaf_->fixed_bytes;
    require(count <= static_cast<int64_t>(bytes.size()) / width, "a page is too short for its values");
    auto put_all = [&](auto value_at) {
      for (int64_t row = 0; row < count; ++row) put(row, value_at(bytes.data() + row * width));
    };
    if (leaf_->stored == Stored::int32) return put_all(load<int32>);
    if (leaf_->stored == Stored::int64) return put_all(load<int64>);
    if (width == 16) return put_all(load_16);
    put_all([width](const uint8_t* at) { return big_endian(at, width); });
  }

  template <class From>
  static From load(const uint8_t* from) {
    From value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static int128 load_16(const uint8_t* from) {
    return static_cast<int128>(static_cast<uint128>(__builtin_bswap64(load<uint64>(from))) << 64 |
                               __builtin_bswap64(load<uint64>(from + 8)));
  }

  static constexpr Interval kEverything{static_cast<int128>(uint128{1} << 127),
                                        static_cast<int128>(~(uint128{1} << 127))};
  const Layout& layout_;
};

// --- texts
// ------------------------------------------------------------------------------------------------------------

// Views into the pages. `at` has 12 readable bytes, whatever the length.
inline columns::View view_of(const uint8* at, uint32 length, int32 buffer, int64_t offset) {
  columns::View view;
  view.length = static_cast<int32>(length);
  if (length > columns::View::kInline) {
    std::memcpy(view.prefix, at, 4);
    view.buffer = buffer;
    view.offset = static_cast<int32>(offset);
    return view;
  }
  uint32 first;
  uint64 rest;
  std::memcpy(&first, at, 4);
  std::memcpy(&rest, at + 4, 8);
  first &= static_cast<uint32>(columns::low_bits(static_cast<int>(std::min<uint32>(length, 4) * 8)));
  rest &= length > 4 ? columns::low_bits(static_cast<int>(length - 4) * 8) : 0;
  std::memcpy(view.prefix, &first, 4);
  std::memcpy(&view.buffer, &rest, 8);
  return view;
}

class ViewValues : public Values {
 public:
  ViewValues(const Leaf& leaf, const Layout& layout, memory::PoolPtr pool, std::vector<memory::Buffer>& characters)
      : Values(sizeof(columns::View), std::move(pool)),
        fixed_bytes_(leaf.array_bytes()),
        is_string_(layout.like.type.id == columns::TypeId::string),
        characters_(characters) {}

  bool plain(const PageBody& body, int64_t count, void* to) override {
    if (is_string_) check_utf8(body.values, count);
    auto* views = static_cast<columns::View*>(to);
    const auto buffer = static_cast<int32>(characters_.size());
    // Views count from the front of the values, which keeps offsets small however long the chunk is.
    const uint8_t* front = body.values.data();
    bool is_long = false;
    for_each_array(body.values, count, fixed_bytes_, [&](const uint8* at, uint32 length) {
      is_long |= length > columns::View::kInline;
      *views++ = view_of(at, length, buffer, at - front);
    });
    if (is_long) {
      const int64_t offset = front - body.owner.as<uint8_t>();
      characters_.push_back(body.owner.slice(offset, static_cast<int64_t>(body.values.size())));
    }
    return is_long;
  }

 private:
  int64_t fixed_bytes_;
  bool is_string_;
  std::vector<memory::Buffer>& characters_;
};

// Codes of the column's dictionary.
class CodeValues : public Values {
 public:
  CodeValues(const ChunkInput& input, const Layout& layout, memory::PoolPtr pool)
      : Values(columns::bytes_per_row(layout.like.physical), std::move(pool)),
        leaf_(*input.part.leaf),
        map_(input.codes) {
    entries_ = static_cast<int64_t>(map_.size());
    entries_array_ = pool_->allocate(entries_ * row_bytes(), "scan_parquet");
    for (int64_t i = 0; i < entries_; ++i) {
      const uint16_t code = map_[static_cast<size_t>(i)];
      if (row_bytes() == 1) {
        entries_array_.mutable_as<uint8_t>()[i] = static_cast<uint8_t>(code);
      } else {
        entries_array_.mutable_as<uint16_t>()[i] = code;
      }
    }
  }

  bool plain(const PageBody&, int64_t count, void*) override {
    if (count > 0) {
      fail(ErrorKind::compute, "Parquet: column \"" + leaf_.name +
                                   "\" has pages without a dictionary, which its encoding"
                                   " statistics deny; write the file again");
    }
    return false;
  }
  bool dictionary(const PageBody&, int64_t count) override {
    require(count == entries_, "a dictionary changed while it was read");
    return false;
  }

 private:
  const Leaf& leaf_;
  CodeMap map_;
};

}  // namespace

std::unique_ptr<Values> values_for(const ChunkInput& input, const Layout& layout, const memory::PoolPtr& pool,
                                   std::vector<memory::Buffer>& characters) {
  const Leaf& leaf = *input.part.leaf;
  if (layout.like.encoding == Encoding::dictionary) return std::make_unique<CodeValues>(input, layout, pool);
  if (layout.like.physical == columns::Physical::view)
    return std::make_unique<ViewValues>(leaf, layout, pool, characters);
  if (NumberValues::suits(leaf, layout)) return std::make_unique<NumberValues>(leaf, layout, pool);
  return std::make_unique<WideValues>(leaf, layout, pool);
}

}  // namespace frazil::formats
