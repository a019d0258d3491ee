#include "primitives/cpu/dictionary_union.hpp"

#include <string_view>
#include <unordered_map>

#include "primitives/cpu/moved_rows.hpp"

namespace frazil::primitives {

using namespace columns;

namespace {

// Texts of all categories with their codes in the union, which begins with one dictionary as it is.
class CategoryUnion {
 public:
  explicit CategoryUnion(const Column& first) : parts_{first} {
    for (int64_t row = 0; row < first.rows; ++row) {
      codes_.try_emplace(text_at(first, row), static_cast<uint32>(row));
    }
    count_ = static_cast<uint32>(first.rows);
  }

  // The code in the union for each code of `dictionary`.
  std::vector<uint32> add(const Column& dictionary, const memory::PoolPtr& pool) {
    std::vector<uint32> codes;
    std::vector<uint32_t> new_rows;
    for (int64_t row = 0; row < dictionary.rows; ++row) {
      auto [found, is_new] = codes_.try_emplace(text_at(dictionary, row), count_);
      if (is_new) {
        new_rows.push_back(static_cast<uint32_t>(row));
        ++count_;
      }
      codes.push_back(found->second);
    }
    if (!new_rows.empty()) parts_.push_back(gather(dictionary, new_rows, pool));
    return codes;
  }

  uint32 count() const { return count_; }
  std::shared_ptr<const Column> column(const memory::PoolPtr& pool) const {
    return std::make_shared<const Column>(concatenate(parts_, pool));
  }

 private:
  std::unordered_map<std::string_view, uint32> codes_;  // the texts live in the dictionaries of the pieces
  std::vector<Column> parts_;
  uint32 count_ = 0;
};

// Codes under nulls may be anything; those that no category has become 0.
void map_codes(const std::vector<uint32>& codes, const memory::PoolPtr& pool, Column* piece) {
  memory::Buffer mapped = pool->allocate(piece->rows * bytes_per_row(piece->physical), kMoveWho);
  with_row_type(piece->physical, [&](auto row) {
    using T = decltype(row);
    if constexpr (sizeof(T) > 4) {
      fail(ErrorKind::internal, "codes have 1, 2 or 4 bytes");
    } else {
      const T* in = rows_of<T>(*piece);
      T* out = mapped.mutable_as<T>();
      for (int64_t i = 0; i < piece->rows; ++i) out[i] = in[i] < codes.size() ? static_cast<T>(codes[in[i]]) : T{0};
    }
  });
  piece->validity = bits_from(piece->validity, piece->offset, piece->rows, pool);
  piece->values = std::move(mapped);
  piece->offset = 0;
  piece->interval.reset();
}

}  // namespace

std::shared_ptr<const Column> longest_dictionary(std::span<const Column> pieces) {
  std::shared_ptr<const Column> longest = pieces.front().dictionary;
  for (const Column& piece : pieces) {
    if (piece.dictionary->rows > longest->rows) longest = piece.dictionary;
  }
  return longest;
}

bool is_same_or_prefix(const std::shared_ptr<const Column>& shorter, const std::shared_ptr<const Column>& longer) {
  if (shorter == longer) return true;
  return shorter->type.is_string_like() && is_prefix(*shorter, *longer);
}

void unite_dictionaries(std::vector<Column>* pieces, const memory::PoolPtr& pool) {
  std::shared_ptr<const Column> longest = longest_dictionary(*pieces);
  std::vector<Column*> others;
  for (Column& piece : *pieces) {
    if (!is_same_or_prefix(piece.dictionary, longest)) others.push_back(&piece);
    else piece.dictionary = longest;
  }
  if (others.empty()) return;
  CategoryUnion all(*longest);
  std::vector<std::shared_ptr<const Column>> alive;  // what the texts in `all` point into
  for (Column* piece : others) {
    alive.push_back(piece->dictionary);
    map_codes(all.add(*piece->dictionary, pool), pool, piece);
  }
  uint64 codes_max = uint64{1} << (8 * bytes_per_row(pieces->front().physical));
  if (all.count() > codes_max) {
    fail(ErrorKind::compute, "the union has " + std::to_string(all.count()) + " categories, but codes of " +
                                 pieces->front().type.name() + " count to " + std::to_string(codes_max));
  }
  std::shared_ptr<const Column> united = all.column(pool);
  for (Column& piece : *pieces) piece.dictionary = united;
}

}  // namespace frazil::primitives
