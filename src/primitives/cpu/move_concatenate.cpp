#include <algorithm>
#include <cstring>
#include <map>

#include "primitives/cpu/dictionary_union.hpp"
#include "primitives/cpu/moved_rows.hpp"

namespace frazil::primitives {

using namespace columns;

namespace {

using Pieces = std::span<const Column>;

int64_t rows_in(Pieces pieces) {
  int64_t rows = 0;
  for (const Column& piece : pieces) rows += piece.rows;
  return rows;
}

template <class Condition>
bool all_of(Pieces pieces, Condition condition) {
  return std::all_of(pieces.begin(), pieces.end(), condition);
}

bool same_value(const Column& a, const Column& b) {
  if (a.type.is_nested() || a.physical != b.physical || a.dictionary != b.dictionary) return false;
  if (a.is_valid(0) != b.is_valid(0)) return false;
  if (!a.is_valid(0)) return true;
  if (a.physical == Physical::view) return text_at(a, 0) == text_at(b, 0);
  if (a.physical == Physical::bits) {
    return bit_at(a.values.as<uint8>(), a.offset) == bit_at(b.values.as<uint8>(), b.offset);
  }
  int bytes = bytes_per_row(a.physical);
  return std::memcmp(a.values.as() + a.offset * bytes, b.values.as() + b.offset * bytes, static_cast<size_t>(bytes)) ==
         0;
}

bool all_encoded_alike(Pieces pieces) {
  const Column& first = pieces.front();
  return all_of(pieces, [&](const Column& piece) {
    if (piece.encoding != first.encoding) return false;
    switch (first.encoding) {
      case Encoding::plain: return true;
      case Encoding::constant: return same_value(piece, first);
      case Encoding::dictionary: return true;  // looked at by share_dictionary
      case Encoding::narrow: return piece.base == first.base && piece.physical == first.physical;
    }
    return false;
  });
}

// Gives all pieces the longest of their dictionaries and equally wide codes, if the others are prefixes of it.
bool share_dictionary(std::vector<Column>* pieces, const memory::PoolPtr& pool) {
  std::shared_ptr<const Column> longest = longest_dictionary(*pieces);
  Physical widest = Physical::w1;
  for (const Column& piece : *pieces) {
    if (!is_same_or_prefix(piece.dictionary, longest)) return false;
    widest = std::max(widest, piece.physical);
  }
  for (Column& piece : *pieces) {
    piece = widen_codes(piece, widest, pool);
    piece.dictionary = longest;
  }
  return true;
}

void decode_all(std::vector<Column>* pieces, const memory::PoolPtr& pool) {
  for (Column& piece : *pieces) piece = decode(piece, pool);
}

memory::Buffer concatenate_validity(Pieces pieces, int64_t rows, const memory::PoolPtr& pool) {
  if (all_of(pieces, [](const Column& piece) { return !piece.validity; })) return {};
  memory::Buffer validity = allocate_bits(rows, pool);
  BitAppender out(validity.mutable_as<uint64>());
  for (const Column& piece : pieces) {
    if (piece.validity) {
      out.append_all(piece.validity.as<uint8>(), piece.offset, piece.rows);
    } else {
      out.append_repeated(true, piece.rows);
    }
  }
  out.finish();
  return validity;
}

memory::Buffer concatenate_bits(Pieces pieces, int64_t rows, const memory::PoolPtr& pool) {
  memory::Buffer bits = allocate_bits(rows, pool);
  BitAppender out(bits.mutable_as<uint64>());
  for (const Column& piece : pieces) out.append_all(piece.values.as<uint8>(), piece.offset, piece.rows);
  out.finish();
  return bits;
}

memory::Buffer concatenate_fixed(Pieces pieces, int64_t rows, const memory::PoolPtr& pool) {
  int bytes = bytes_per_row(pieces.front().physical);
  memory::Buffer values = pool->allocate(rows * bytes, kMoveWho);
  std::byte* out = values.mutable_as();
  for (const Column& piece : pieces) {
    size_t length = static_cast<size_t>(piece.rows * bytes);
    std::memcpy(out, piece.values.as() + piece.offset * bytes, length);
    out += length;
  }
  return values;
}

// The character buffers of several columns, each listed once.
class CharacterUnion {
 public:
  // Where the buffers of a column now are.
  std::vector<int32> add(const std::vector<memory::Buffer>& buffers) {
    std::vector<int32> places;
    for (const memory::Buffer& buffer : buffers) {
      auto [found, is_new] = known_.try_emplace({buffer.as(), buffer.bytes()}, static_cast<int32>(buffers_.size()));
      if (is_new) buffers_.push_back(buffer);
      places.push_back(found->second);
    }
    return places;
  }
  std::vector<memory::Buffer> take() { return std::move(buffers_); }

 private:
  std::map<std::pair<const std::byte*, int64_t>, int32> known_;
  std::vector<memory::Buffer> buffers_;
};

bool stay_in_place(const std::vector<int32>& places) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] != static_cast<int32>(i)) return false;
  }
  return true;
}

// A view under a null may name a buffer that is not there; it becomes empty.
void rebase_views(View* views, int64_t rows, const std::vector<int32>& places) {
  for (int64_t i = 0; i < rows; ++i) {
    View& view = views[i];
    if (view.length <= View::kInline) continue;
    if (static_cast<uint32>(view.buffer) < places.size()) {
      view.buffer = places[static_cast<size_t>(view.buffer)];
    } else {
      view = View{};
    }
  }
}

void concatenate_views(Pieces pieces, const memory::PoolPtr& pool, Column* out) {
  out->values = concatenate_fixed(pieces, out->rows, pool);
  CharacterUnion characters;
  View* views = out->values.mutable_as<View>();
  for (const Column& piece : pieces) {
    std::vector<int32> places = characters.add(piece.characters);
    if (!stay_in_place(places)) rebase_views(views, piece.rows, places);
    views += piece.rows;
  }
  out->characters = characters.take();
}

void concatenate_lists(Pieces pieces, const memory::PoolPtr& pool, Column* out) {
  out->values = pool->allocate((out->rows + 1) * 8, kMoveWho);
  int64_t* offsets = out->values.mutable_as<int64_t>();
  *offsets = 0;
  std::vector<Column> children;
  for (const Column& piece : pieces) {
    const int64_t* in = rows_of<int64_t>(piece);
    int64_t shift = *offsets - in[0];
    for (int64_t i = 1; i <= piece.rows; ++i) *++offsets = in[i] + shift;
    children.push_back(slice(piece.children[0], in[0], in[piece.rows] - in[0]));
  }
  out->children.push_back(concatenate(children, pool));
}

void concatenate_children(Pieces pieces, const memory::PoolPtr& pool, Column* out) {
  for (size_t i = 0; i < pieces.front().children.size(); ++i) {
    std::vector<Column> children;
    for (const Column& piece : pieces) children.push_back(piece.children[i]);
    out->children.push_back(concatenate(children, pool));
  }
}

std::optional<Interval> interval_around(Pieces pieces) {
  std::optional<Interval> around = pieces.front().interval;
  for (const Column& piece : pieces) {
    if (!around || !piece.interval) return std::nullopt;
    around->low = std::min(around->low, piece.interval->low);
    around->high = std::max(around->high, piece.interval->high);
  }
  return around;
}

// Pieces that have one encoding with the same parameters.
Column concatenate_alike(Pieces pieces, const memory::PoolPtr& pool) {
  Column out = without_rows(pieces.front(), rows_in(pieces));
  out.interval = interval_around(pieces);
  out.validity = concatenate_validity(pieces, out.rows, pool);
  switch (out.physical) {
    case Physical::none: concatenate_children(pieces, pool, &out); break;
    case Physical::bits: out.values = concatenate_bits(pieces, out.rows, pool); break;
    case Physical::view: concatenate_views(pieces, pool, &out); break;
    case Physical::offsets: concatenate_lists(pieces, pool, &out); break;
    default: out.values = concatenate_fixed(pieces, out.rows, pool);
  }
  return out;
}

}  // namespace

Column concatenate(std::span<const Column> pieces, const memory::PoolPtr& pool) {
  FZ_CHECK(!pieces.empty());
  std::vector<Column> filled;
  for (const Column& piece : pieces) {
    FZ_CHECK(piece.type.id == pieces.front().type.id);
    if (piece.rows > 0) filled.push_back(piece);
  }
  if (filled.empty()) return pieces.front();
  if (filled.size() == 1) return filled.front();
  Encoding encoding = filled.front().encoding;
  bool alike = all_encoded_alike(filled);
  if (alike && encoding == Encoding::dictionary) alike = share_dictionary(&filled, pool);
  if (!alike) decode_all(&filled, pool);
  if (alike && encoding == Encoding::constant) {
    Column out = filled.front();
    out.rows = rows_in(filled);
    return out;
  }
  if (filled.front().encoding == Encoding::plain && filled.front().dictionary) unite_dictionaries(&filled, pool);
  return concatenate_alike(filled, pool);
}

}  // namespace frazil::primitives
