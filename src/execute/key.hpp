// Keys of group-bys and joins: several columns as one number where their intervals allow, else as bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "execute/assembly.hpp"

namespace frazil::execute {

// One key column while a program is put together.
struct KeyColumn {
  std::string name;
  columns::DataType type;
  program::Value value;
  std::shared_ptr<const columns::Column> dictionary;  // value holds codes
};

// How keys lie in a packed number. The same layout packs build and probe sides of a join.
struct KeyLayout {
  enum class Form { narrow, wide, bytes } form = Form::narrow;  // u64, u128, text
  struct Field {
    columns::DataType type;
    program::Type value_type;
    bool nullable = false;
    int bits = 0;
    int shift = 0;
    int128 base = 0;
    int128 high = 0;       // highest value, for whole numbers
    bool bounded = false;  // base and high are known
    uint64 states = 0;     // packed values are below it; 0: more than 64 bits
    std::shared_ptr<const columns::Column> dictionary;
  };
  std::vector<Field> fields;
  int bits = 0;  // of the packed number
  // Numbers of packed keys are below this; 0: unknown or too large to count.
  uint64 range() const { return form == Form::narrow && bits < 40 ? uint64{1} << bits : 0; }
  program::Type type() const {
    return form == Form::narrow ? program::Type::u64 : form == Form::wide ? program::Type::u128 : program::Type::view;
  }
};

// The layout for these columns; `nulls_count`: null is a key like others, else such rows have no key; `probed`: rows of
// another side are packed by it as well.
KeyLayout lay_out(const std::vector<KeyColumn>& columns, bool nulls_count, bool probed);

// Packs the columns by the layout, for the rows of `rows`. Keys that are bytes lie in memory of a slot: until the next
// tile, or if they are `kept`, until the next batch.
program::Operand pack(Assembly& assembly, const KeyLayout& layout, const std::vector<KeyColumn>& columns,
                      program::Operand rows, bool kept = false);

// A key column of `rows` rows, without its values.
columns::Column key_column(const KeyLayout::Field& field, int64_t rows);

// Columns back from packed keys.
std::vector<columns::Column> unpack(const KeyLayout& layout, const uint64* keys, int64_t rows,
                                    const memory::PoolPtr& pool);
std::vector<columns::Column> unpack(const KeyLayout& layout, const uint128* keys, int64_t rows,
                                    const memory::PoolPtr& pool);
std::vector<columns::Column> unpack(const KeyLayout& layout, const program::RegisterView* keys, int64_t rows,
                                    const memory::PoolPtr& pool);

}  // namespace frazil::execute
