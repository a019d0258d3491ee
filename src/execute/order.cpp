#include "execute/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
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

// A row and those bits of its keys that it is sorted by at present.
struct Item {
  uint64 word;
  uint32 row;
};

bool before(const Item& a, const Item& b) { return a.word != b.word ? a.word < b.word : a.row < b.row; }

// Appends bits of a key to the words of these rows.
using Append = std::function<void(std::span<Item>)>;

constexpr int kWordBits = 64;
constexpr int64_t kChunk = 1 << 16;  // rows that are worth a task
constexpr int64_t kFew = 1 << 10;    // rows that comparisons sort as fast

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

bool is_text(const SortKey& key) {
  return key.column.type.is_string_like() && key.column.encoding != Encoding::dictionary;
}

// Bytes of a text in a word: behind a byte for null, if there may be some, and before the number of those that are
// left.
int text_bytes(const SortKey& key) { return key.column.has_nulls() ? 6 : 7; }

// Piece number `piece` of a text key. A text that ends in it is below longer ones by the number in the last byte.
uint64 text_word(const SortKey& key, uint32 row, int64_t piece) {
  const bool has_nulls = key.column.has_nulls();
  const uint64 place = uint64{!key.nulls_last} << 56;  // of values, where nulls have the other
  if (has_nulls && !key.column.is_valid(row)) return place ^ uint64 { 1 } << 56;
  const int bytes = text_bytes(key);
  std::string_view text = columns::text_at(key.column, row);
  text.remove_prefix(std::min(text.size(), static_cast<size_t>(piece * bytes)));
  char padded[8] = {};
  text.copy(padded, static_cast<size_t>(bytes));
  uint64 word;
  std::memcpy(&word, padded, sizeof word);
  word = __builtin_bswap64(word) >> (kWordBits - 8 * bytes) << 8 | std::min<uint64>(text.size(), bytes + 1);
  if (key.descending) word ^= ~uint64{0} >> (kWordBits - 8 - 8 * bytes);
  return has_nulls ? word | place : word;
}

// Whether texts with this word are equal, as none has more bytes.
bool ends_texts(const SortKey& key, uint64 word) {
  const auto left = static_cast<uint8>(key.descending ? ~word : word);
  const bool is_null = key.column.has_nulls() && (word >> 56 & 1) == key.nulls_last;
  return is_null || left <= text_bytes(key);
}

// What rows are told apart by at a time: numbers that fit into a word together, or a text.
struct Level {
  std::vector<Append> parts;
  int bits = 0;
  const SortKey* text = nullptr;

  void fill(std::span<Item> items, int64_t piece) const {
    if (text) {
      for (Item& item : items) item.word = text_word(*text, item.row, piece);
      return;
    }
    for (Item& item : items) item.word = 0;
    for (const Append& part : parts) part(items);
  }
};

std::vector<uint32_t> rank_dictionary(const Context& context, const Column& dictionary);

class Levels {
 public:
  Levels(const Context& context, std::span<const SortKey> keys) {
    for (const SortKey& key : keys) {
      if (is_text(key)) {
        levels_.push_back({.text = &key});
      } else {
        add_numbers(context, key);
      }
    }
  }
  const Level& operator[](size_t level) const { return levels_[level]; }
  size_t size() const { return levels_.size(); }

 private:
  // `read(row)`: the key's bits.
  template <class Read>
  void add(int bits, Read read) {
    while (bits > 0) {
      if (levels_.empty() || levels_.back().text || levels_.back().bits == kWordBits) levels_.emplace_back();
      Level& level = levels_.back();
      const int taken = std::min(bits, kWordBits - level.bits);
      bits -= taken;
      level.bits += taken;
      const uint64 mask = taken == kWordBits ? ~uint64{0} : (uint64{1} << taken) - 1;
      level.parts.push_back([read, taken, mask, below = bits](std::span<Item> items) {
        for (Item& item : items) {
          const uint64 word = taken == kWordBits ? 0 : item.word << taken;
          item.word = word | (static_cast<uint64>(read(item.row) >> below) & mask);
        }
      });
    }
  }

  // `read(row)`: numbers of valid rows from 0 up to `highest`, in order.
  template <class Number, class Read>
  void add_values(const SortKey& key, Number highest, Read read) {
    int bits = 0;
    for (Number rest = highest; rest; rest >>= 1) ++bits;
    const Column* column = &key.column;
    if (column->has_nulls()) {
      add(1, [column, last = key.nulls_last](uint32 row) { return uint64{column->is_valid(row) != last}; });
      add(bits, [column, read, highest, down = key.descending](uint32 row) {
        if (!column->is_valid(row)) return Number{0};
        return down ? static_cast<Number>(highest - read(row)) : read(row);
      });
    } else if (key.descending) {
      add(bits, [read, highest](uint32 row) { return static_cast<Number>(highest - read(row)); });
    } else {
      add(bits, read);
    }
  }

  void add_numbers(const Context& context, const SortKey& key) {
    const Column& column = key.column;
    if (column.physical == columns::Physical::bits) {
      const auto* bits = column.values.as<uint8>();
      return add_values(key, uint64{1}, [bits, offset = column.offset](uint32 row) {
        const int64_t bit = offset + row;
        return uint64{bits[bit >> 3]} >> (bit & 7) & 1;
      });
    }
    with_element(column, [&]<class T>(T) {
      const T* values = column.values.as<T>() + column.offset;
      if (column.encoding == Encoding::dictionary) {
        auto rank = std::make_shared<std::vector<uint32_t>>(rank_dictionary(context, *column.dictionary));
        add_values(key, uint64{rank->size()},
                   [values, rank](uint32 row) { return uint64{(*rank)[static_cast<size_t>(values[row])]}; });
      } else if constexpr (std::is_floating_point_v<T>) {
        const uint64 highest = ~uint64{0} >> (kWordBits - 8 * sizeof(T));
        add_values(key, highest, [values](uint32 row) { return primitives::ordered_bits(values[row]); });
      } else {
        add_whole(key, values);
      }
    });
  }

  template <class T>
  void add_whole(const SortKey& key, const T* values) {
    using Number = std::conditional_t<(sizeof(T) > 8), uint128, uint64>;
    // Without an interval there are no values, or unsigned ones above all intervals.
    const std::optional<Interval> interval = columns::measure_interval(key.column);
    const auto low = interval ? static_cast<Number>(interval->low) - static_cast<Number>(key.column.base) : Number{0};
    const Number highest = interval ? static_cast<Number>(interval->high) - static_cast<Number>(interval->low)
                                    : static_cast<Number>(static_cast<T>(~T{0}));
    add_values(key, highest, [values, low](uint32 row) { return static_cast<Number>(values[row]) - low; });
  }

  std::vector<Level> levels_;
};

// How far a word is to be shifted so that its 8 highest bits of `differing` are left.
int shift_for(uint64 differing) { return std::max(0, static_cast<int>(std::bit_width(differing)) - 8); }

using Counts = std::array<int64_t, 256>;

class RowSorter {
 public:
  RowSorter(const Context& context, std::span<const SortKey> keys, int64_t rows, int64_t limit,
            const Parallel& parallel)
      : context_(context), levels_(context, keys), rows_(rows), limit_(limit), parallel_(parallel) {}

  memory::Buffer run() {
    const auto bytes = rows_ * static_cast<int64_t>(sizeof(Item));
    memory::Buffer items = context_.pool->allocate(bytes, "sort"), other = context_.pool->allocate(bytes, "sort");
    items_ = items.mutable_as<Item>();
    other_ = other.mutable_as<Item>();
    each_chunk([&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) items_[row].row = static_cast<uint32>(row);
    });
    sort_all();
    other = {};
    memory::Buffer order = context_.pool->allocate(limit_ * static_cast<int64_t>(sizeof(uint32)), "sort");
    each_chunk([&, to = order.mutable_as<uint32>()](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < std::min(end, limit_); ++at) to[at] = items_[at].row;
    });
    return order;
  }

 private:
  // Items that are next to be sorted by a level, or by the next piece of its text.
  struct Run {
    int64_t begin, end;
    size_t level;
    int64_t piece;
  };

  template <class F>
  void each_chunk(F f) const {
    parallel_((rows_ + kChunk - 1) / kChunk, [&](int64_t chunk) {
      context_.check_cancelled();
      f(chunk * kChunk, std::min((chunk + 1) * kChunk, rows_));
    });
  }

  // The first level that tells rows apart splits them for all threads.
  void sort_all() {
    Run all{0, rows_, 0, 0};
    while (rows_ > 0 && all.level < levels_.size()) {
      const uint64 differing = fill_all(all);
      if (differing != 0) return sort_split(all, differing);
      all = next_of(all, 0, rows_);
    }
  }

  // Gives the bits that differ between words.
  uint64 fill_all(const Run& all) {
    std::atomic<uint64> differing{0};
    each_chunk([&](int64_t begin, int64_t end) {
      const std::span<Item> items(items_ + begin, static_cast<size_t>(end - begin));
      levels_[all.level].fill(items, all.piece);
      uint64 own = 0;
      for (const Item& item : items) own |= item.word ^ items[0].word;
      // Chunks are compared by their first words, once all are there.
      differing |= own;
    });
    for (int64_t begin = 0; begin < rows_; begin += kChunk) differing |= items_[begin].word ^ items_[0].word;
    return differing;
  }

  void sort_split(const Run& all, uint64 differing) {
    const int shift = shift_for(differing);
    std::vector<Counts> places(static_cast<size_t>((rows_ + kChunk - 1) / kChunk));
    each_chunk([&](int64_t begin, int64_t end) {
      places[static_cast<size_t>(begin / kChunk)] = counts_of(items_ + begin, end - begin, shift);
    });
    std::array<int64_t, 257> start{};
    int64_t at = 0;
    for (size_t bucket = 0; bucket < 256; ++bucket) {
      start[bucket] = at;
      for (Counts& counts : places) at += std::exchange(counts[bucket], at);
    }
    start[256] = at;
    each_chunk([&](int64_t begin, int64_t end) {
      scatter(items_ + begin, end - begin, shift, other_, places[static_cast<size_t>(begin / kChunk)]);
    });
    parallel_(256, [&](int64_t bucket) {
      const int64_t begin = start[static_cast<size_t>(bucket)], end = start[static_cast<size_t>(bucket) + 1];
      if (begin == end || begin >= limit_) return;
      sort_words(other_ + begin, items_ + begin, end - begin, true);
      sort_ties({begin, end, all.level, all.piece});
    });
  }

  static Counts counts_of(const Item* items, int64_t count, int shift) {
    Counts counts{};
    for (int64_t i = 0; i < count; ++i) ++counts[items[i].word >> shift & 0xff];
    return counts;
  }

  static void scatter(const Item* items, int64_t count, int shift, Item* to, Counts& places) {
    for (int64_t i = 0; i < count; ++i) to[places[items[i].word >> shift & 0xff]++] = items[i];
  }

  // Sorts by words; equal ones stay in the order of their rows. The result is to be in `other` or where the items are;
  // the other place may hold anything afterwards.
  void sort_words(Item* items, Item* other, int64_t count, bool into_other) const {
    uint64 differing = 0;
    if (count > kFew) {
      context_.check_cancelled();
      for (int64_t i = 1; i < count; ++i) differing |= items[i].word ^ items[0].word;
    }
    if (differing == 0) {
      if (count <= kFew) std::sort(items, items + count, before);
      if (into_other) std::copy(items, items + count, other);
      return;
    }
    const int shift = shift_for(differing);
    Counts places = counts_of(items, count, shift);
    std::exclusive_scan(places.begin(), places.end(), places.begin(), int64_t{0});
    scatter(items, count, shift, other, places);
    for (int64_t bucket = 0, begin = 0; bucket < 256; begin = places[static_cast<size_t>(bucket++)]) {
      const int64_t end = places[static_cast<size_t>(bucket)];  // scattering moved the start there
      if (end > begin) sort_words(other + begin, items + begin, end - begin, !into_other);
    }
  }

  // What tells items with this word apart; a level behind the last: nothing does.
  Run next_of(const Run& run, int64_t begin, int64_t end) const {
    const SortKey* text = levels_[run.level].text;
    if (text && !ends_texts(*text, items_[begin].word)) return {begin, end, run.level, run.piece + 1};
    return {begin, end, run.level + 1, 0};
  }

  // Sorts items with equal words by what comes next, until nothing does. Not by recursion: texts may be long.
  void sort_ties(const Run& sorted) {
    std::vector<Run> open;
    add_ties(sorted, open);
    while (!open.empty()) {
      context_.check_cancelled();
      const Run run = open.back();
      open.pop_back();
      const int64_t count = run.end - run.begin;
      levels_[run.level].fill({items_ + run.begin, static_cast<size_t>(count)}, run.piece);
      sort_words(items_ + run.begin, other_ + run.begin, count, false);
      add_ties(run, open);
    }
  }

  void add_ties(const Run& run, std::vector<Run>& open) const {
    const bool is_last = run.level + 1 == levels_.size() && !levels_[run.level].text;
    for (int64_t begin = run.begin, end; !is_last && begin < std::min(run.end, limit_); begin = end) {
      for (end = begin + 1; end < run.end && items_[end].word == items_[begin].word;) ++end;
      if (end - begin == 1) continue;
      const Run next = next_of(run, begin, end);
      if (next.level < levels_.size()) open.push_back(next);
    }
  }

  const Context& context_;
  Levels levels_;
  int64_t rows_, limit_;
  const Parallel& parallel_;
  Item *items_ = nullptr, *other_ = nullptr;
};

// Where each value of a dictionary stands in sorted order.
std::vector<uint32_t> rank_dictionary(const Context& context, const Column& dictionary) {
  const SortKey key{dictionary};
  const memory::Buffer order = sorted_rows(context, {&key, 1}, dictionary.rows, -1, in_turn);
  std::vector<uint32_t> rank(static_cast<size_t>(dictionary.rows));
  uint32_t next = 0;
  const std::span<const uint32> rows = order.span<uint32>();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && columns::text_at(dictionary, rows[i]) != columns::text_at(dictionary, rows[i - 1])) ++next;
    rank[rows[i]] = next;
  }
  return rank;
}

}  // namespace

memory::Buffer sorted_rows(const Context& context, std::span<const SortKey> keys, int64_t rows, int64_t limit,
                           const Parallel& parallel) {
  FZ_CHECK(rows < primitives::kNoRow);
  return RowSorter(context, keys, rows, limit < 0 ? rows : std::min(limit, rows), parallel).run();
}

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

}  // namespace frazil::execute
