// Encoded columns move as their decoded selves would. Plain columns of every dtype are tested against Polars.
#include "primitives/move.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace frazil::primitives {
namespace {

using columns::Encoding;
using columns::Physical;
using columns::TypeId;
using columns::View;

constexpr const char* kLong = "a text that is longer than a view";

memory::PoolPtr test_pool() {
  static memory::PoolPtr pool = memory::Pool::create(0);
  return pool;
}

template <class T>
memory::Buffer buffer_of(const std::vector<T>& values) {
  memory::Buffer buffer = test_pool()->allocate(static_cast<int64_t>(values.size() * sizeof(T)), "test");
  std::copy(values.begin(), values.end(), buffer.mutable_as<T>());
  return buffer;
}

using Valid = std::vector<bool>;

memory::Buffer bits_of(const Valid& valid) {
  memory::Buffer bits = test_pool()->allocate_zeroed(static_cast<int64_t>(valid.size() / 8 + 1), "test");
  for (size_t i = 0; i < valid.size(); ++i) bits.mutable_as<uint8>()[i / 8] |= static_cast<uint8>(valid[i] << (i % 8));
  return bits;
}

Physical physical_of_bytes(size_t bytes) {
  switch (bytes) {
    case 1: return Physical::w1;
    case 2: return Physical::w2;
    case 4: return Physical::w4;
    case 8: return Physical::w8;
    default: return Physical::w16;
  }
}

template <class T>
Column array_of(columns::DataType type, Encoding encoding, const std::vector<T>& values, const Valid& valid = {}) {
  Column column;
  column.type = std::move(type);
  column.encoding = encoding;
  column.rows = static_cast<int64_t>(values.size());
  column.physical = physical_of_bytes(sizeof(T));
  column.values = buffer_of(values);
  if (!valid.empty()) column.validity = bits_of(valid);
  return column;
}

Column texts(const std::vector<std::string>& values) {
  std::string characters;
  std::vector<View> views;
  for (const std::string& text : values) {
    View view{static_cast<int32>(text.size()), {}, 0, static_cast<int32>(characters.size())};
    if (text.size() <= View::kInline) {
      view.offset = 0;
      std::memcpy(reinterpret_cast<char*>(&view) + 4, text.data(), text.size());
    } else {
      std::memcpy(view.prefix, text.data(), 4);
      characters += text;
    }
    views.push_back(view);
  }
  Column column = array_of(columns::simple(TypeId::string), Encoding::plain, views);
  column.physical = Physical::view;
  column.characters.push_back(buffer_of(std::vector<char>(characters.begin(), characters.end())));
  return column;
}

std::shared_ptr<const Column> dictionary_of(const std::vector<std::string>& values) {
  return std::make_shared<const Column>(texts(values));
}

Column dictionary_column(std::shared_ptr<const Column> dictionary, const std::vector<uint8>& codes,
                         const Valid& valid = {}) {
  Column column = array_of(dictionary->type, Encoding::dictionary, codes, valid);
  column.dictionary = std::move(dictionary);
  return column;
}

Column categorical(std::shared_ptr<const Column> categories, const std::vector<uint8>& codes, const Valid& valid = {}) {
  Column column = dictionary_column(std::move(categories), codes, valid);
  column.type = columns::simple(TypeId::categorical);
  column.type.index_bytes = 1;
  column.encoding = Encoding::plain;
  return column;
}

Column narrow(int128 base, const std::vector<int8>& values, const Valid& valid = {}) {
  Column column = array_of(columns::decimal(15, 2), Encoding::narrow, values, valid);
  column.base = base;
  return column;
}

Column constant_text(const std::string& text, int64_t rows) {
  Column column = texts({text});
  column.encoding = Encoding::constant;
  column.rows = rows;
  return column;
}

Column constant_whole(int64 value, int64_t rows) {
  Column column = array_of<int64>(columns::simple(TypeId::int64), Encoding::constant, {value});
  column.rows = rows;
  return column;
}

// What a row says, by way of the decoded column.
std::vector<std::string> rows_of(const Column& column) {
  Column plain = decode(column, test_pool());
  EXPECT_EQ(plain.encoding, Encoding::plain);
  EXPECT_EQ(plain.physical, columns::plain_physical(plain.type));
  std::vector<std::string> rows;
  for (int64_t row = 0; row < plain.rows; ++row) {
    if (!plain.is_valid(row)) {
      rows.push_back("null");
    } else if (plain.type.is_string_like()) {
      rows.emplace_back(columns::text_at(plain, row));
    } else if (plain.dictionary) {
      rows.emplace_back(columns::text_at(*plain.dictionary, static_cast<int64_t>(columns::whole_at(plain, row))));
    } else {
      rows.push_back(std::to_string(static_cast<int64_t>(columns::whole_at(plain, row))));
    }
  }
  return rows;
}

using Rows = std::vector<std::string>;

Column gather(const Column& column, std::initializer_list<uint32_t> indices) {
  std::vector<uint32_t> copied(indices);
  return primitives::gather(column, copied, test_pool());
}
Column filter(const Column& column, uint64_t mask) {
  return primitives::filter(column, &mask, std::popcount(mask), test_pool());
}
Column concatenate(std::initializer_list<Column> pieces) {
  std::vector<Column> copied(pieces);
  return primitives::concatenate(copied, test_pool());
}

TEST(Move, DictionaryColumnsKeepTheirEncoding) {
  Column column =
      dictionary_column(dictionary_of({"a", kLong, "c"}), {0, 1, 2, 99, 1}, {true, true, true, false, true});
  EXPECT_EQ(rows_of(column), (Rows{"a", kLong, "c", "null", kLong}));
  Column kept = filter(column, 0b11010);
  EXPECT_EQ(kept.encoding, Encoding::dictionary);
  EXPECT_EQ(rows_of(kept), (Rows{kLong, "null", kLong}));
  Column gathered = gather(column, {4, kNoRow, 0});
  EXPECT_EQ(gathered.encoding, Encoding::dictionary);
  EXPECT_EQ(rows_of(gathered), (Rows{kLong, "null", "a"}));
  EXPECT_EQ(rows_of(columns::slice(column, 2, 3)), (Rows{"c", "null", kLong}));
  EXPECT_EQ(decode(column, test_pool()).characters[0].as(), column.dictionary->characters[0].as());
}

TEST(Move, DictionariesOfValuesOtherThanTextDecode) {
  auto values = std::make_shared<const Column>(
      array_of<int64>(columns::simple(TypeId::int64), Encoding::plain, {10, 20, 30}, {true, false, true}));
  EXPECT_EQ(rows_of(dictionary_column(values, {2, 1, 0})), (Rows{"30", "null", "10"}));
}

TEST(Move, NarrowColumnsKeepTheirEncoding) {
  Column column = narrow(1000, {-3, 0, 127, -128}, {true, false, true, true});
  EXPECT_EQ(rows_of(column), (Rows{"997", "null", "1127", "872"}));
  EXPECT_EQ(filter(column, 0b1100).encoding, Encoding::narrow);
  EXPECT_EQ(rows_of(filter(column, 0b1100)), (Rows{"1127", "872"}));
  EXPECT_FALSE(filter(column, 0b1100).has_nulls());
  EXPECT_EQ(rows_of(gather(column, {3, 1, kNoRow, 0})), (Rows{"872", "null", "null", "997"}));
  EXPECT_EQ(rows_of(columns::slice(column, 1, 2)), (Rows{"null", "1127"}));
}

TEST(Move, NarrowValuesOfUnsignedTypesMayPassTheSignedRange) {
  Column column = array_of<int8>(columns::simple(TypeId::uint64), Encoding::narrow, {-1, 0});
  column.base = int128{~uint64{0}};
  Column plain = decode(column, test_pool());
  EXPECT_EQ(plain.values.as<uint64>()[0], ~uint64{0} - 1);
  EXPECT_EQ(plain.values.as<uint64>()[1], ~uint64{0});
}

TEST(Move, ConstantColumnsStayConstant) {
  for (const Column& column : {constant_text(kLong, 64), constant_whole(7, 64)}) {
    std::string value = rows_of(column)[63];
    EXPECT_EQ(rows_of(column), Rows(64, value));
    Column kept = filter(column, 0b1011);
    EXPECT_EQ(kept.encoding, Encoding::constant);
    EXPECT_EQ(rows_of(kept), Rows(3, value));
    EXPECT_EQ(gather(column, {63, 0}).encoding, Encoding::constant);
    EXPECT_EQ(rows_of(columns::slice(column, 24, 40)), Rows(40, value));
    EXPECT_EQ(rows_of(gather(column, {5, kNoRow})), (Rows{value, "null"}));
  }
}

TEST(Move, ConstantNullsNeedNoValues) {
  Column column = constant_whole(0, 5);
  column.validity = bits_of({false});
  column.values = {};
  EXPECT_EQ(rows_of(column), Rows(5, "null"));
  EXPECT_EQ(gather(column, {kNoRow, 1, 2}).encoding, Encoding::constant);
  EXPECT_EQ(rows_of(concatenate({column, constant_whole(3, 1)})), (Rows{"null", "null", "null", "null", "null", "3"}));
}

TEST(Move, ConstantListsAndStructsDecode) {
  Column list;
  list.type = columns::simple(TypeId::list);
  list.type.children =
      std::make_shared<const std::vector<columns::Field>>(columns::Schema{{"item", columns::simple(TypeId::int64)}});
  list.encoding = Encoding::constant;
  list.physical = Physical::offsets;
  list.rows = 3;
  list.values = buffer_of<int64_t>({0, 2});
  list.children.push_back(array_of<int64>(columns::simple(TypeId::int64), Encoding::plain, {5, 6}));
  Column plain = decode(list, test_pool());
  EXPECT_EQ(plain.values.as<int64_t>()[3], 6);
  EXPECT_EQ(rows_of(plain.children[0]), (Rows{"5", "6", "5", "6", "5", "6"}));

  Column structure;
  structure.type = columns::simple(TypeId::structure);
  structure.type.children = std::make_shared<const std::vector<columns::Field>>(columns::Schema{{"l", list.type}});
  structure.encoding = Encoding::constant;
  structure.rows = 2;
  structure.children.push_back(list);
  structure.children[0].rows = 1;
  EXPECT_EQ(rows_of(decode(structure, test_pool()).children[0].children[0]), (Rows{"5", "6", "5", "6"}));
}

TEST(Concatenate, OneDictionaryStays) {
  auto shared = dictionary_of({"a", kLong});
  Column all = concatenate({dictionary_column(shared, {0, 1}), dictionary_column(shared, {1}, {false})});
  EXPECT_EQ(all.encoding, Encoding::dictionary);
  EXPECT_EQ(all.dictionary, shared);
  EXPECT_EQ(rows_of(all), (Rows{"a", kLong, "null"}));
}

TEST(Concatenate, ADictionaryThatGrewStaysWithTheWidestCodes) {
  Column wide = array_of<uint16>(columns::simple(TypeId::string), Encoding::dictionary, {2, 0});
  wide.dictionary = dictionary_of({"a", kLong, "c"});
  Column all = concatenate({dictionary_column(dictionary_of({"a", kLong}), {1, 0}), wide});
  EXPECT_EQ(all.encoding, Encoding::dictionary);
  EXPECT_EQ(all.physical, Physical::w2);
  EXPECT_EQ(rows_of(all), (Rows{kLong, "a", "c", "a"}));
}

TEST(Concatenate, UnlikeEncodingsAreDecoded) {
  Column all = concatenate({dictionary_column(dictionary_of({"a", kLong}), {1}), texts({"p", std::string(kLong) + "2"}),
                            dictionary_column(dictionary_of({"z"}), {0}), constant_text("k", 2)});
  EXPECT_EQ(all.encoding, Encoding::plain);
  EXPECT_EQ(rows_of(all), (Rows{kLong, "p", std::string(kLong) + "2", "z", "k", "k"}));
  Column sums = concatenate({narrow(1000, {1, 2}), narrow(0, {5}), narrow(0, {6}, {false})});
  EXPECT_EQ(rows_of(sums), (Rows{"1001", "1002", "5", "null"}));
}

TEST(Concatenate, EqualNarrowAndConstantPiecesStayEncoded) {
  EXPECT_EQ(concatenate({narrow(10, {1}), narrow(10, {2})}).encoding, Encoding::narrow);
  EXPECT_EQ(rows_of(concatenate({narrow(10, {1}), narrow(10, {2})})), (Rows{"11", "12"}));
  Column all = concatenate({constant_text(kLong, 2), constant_text(kLong, 3)});
  EXPECT_EQ(all.encoding, Encoding::constant);
  EXPECT_EQ(rows_of(all), Rows(5, kLong));
  EXPECT_EQ(rows_of(concatenate({constant_whole(1, 1), constant_whole(2, 2)})), (Rows{"1", "2", "2"}));
}

TEST(Concatenate, CharacterBuffersAreListedOnce) {
  Column first = texts({kLong, "a"});
  Column second = texts({std::string(kLong) + "2"});
  Column all = concatenate({first, second, gather(first, {0}), second});
  EXPECT_EQ(all.characters.size(), 2u);
  EXPECT_EQ(rows_of(all), (Rows{kLong, "a", std::string(kLong) + "2", kLong, std::string(kLong) + "2"}));
}

TEST(Concatenate, CategoriesThatGrewKeepTheirCodes) {
  auto longer = dictionary_of({"a", "b", kLong});
  Column all = concatenate({categorical(dictionary_of({"a", "b"}), {1, 0}), categorical(longer, {2})});
  EXPECT_EQ(all.dictionary, longer);
  EXPECT_EQ(rows_of(all), (Rows{"b", "a", kLong}));
}

TEST(Concatenate, CategoriesThatDifferAreMapped) {
  Column first = categorical(dictionary_of({"a", "b", "c"}), {1, 0, 2});
  Column second = categorical(dictionary_of({kLong, "a"}), {0, 1, 200}, {true, true, false});
  Column all = concatenate({first, second});
  EXPECT_EQ(all.dictionary->rows, 4);
  EXPECT_EQ(rows_of(all), (Rows{"b", "a", "c", kLong, "a", "null"}));
}

TEST(Concatenate, TooManyCategoriesForTheCodesAreAnError) {
  std::vector<std::string> many, others;
  for (int i = 0; i < 200; ++i) many.push_back("m" + std::to_string(i));
  for (int i = 0; i < 100; ++i) others.push_back("o" + std::to_string(i));
  EXPECT_THROW(concatenate({categorical(dictionary_of(many), {0}), categorical(dictionary_of(others), {0})}), Error);
}

TEST(Concatenate, IntervalsAreJoinedIfAllAreKnown) {
  Column first = narrow(0, {1, 2}), second = narrow(0, {7});
  first.interval = {1, 2};
  EXPECT_EQ(concatenate({first, second}).interval, std::nullopt);
  second.interval = {7, 7};
  EXPECT_EQ(concatenate({first, second}).interval, (columns::Interval{1, 7}));
}

TEST(Move, NothingStaysChargedBehind) {
  memory::PoolPtr pool = memory::Pool::create(0);
  {
    Column column = nulls(columns::simple(TypeId::string), 1000, pool);
    std::vector<uint32_t> indices(5000, 3);
    Column gathered = primitives::gather(column, indices, pool);
    EXPECT_GT(pool->bytes_in_use(), 5000 * 16);
  }
  EXPECT_EQ(pool->bytes_in_use(), 0);
}

}  // namespace
}  // namespace frazil::primitives
