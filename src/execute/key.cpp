#include "execute/key.hpp"

#include <cstring>

#include "base/error.hpp"
#include "primitives/cpu/arena.hpp"
#include "primitives/ordered_bits.hpp"

namespace frazil::execute {

using columns::Column;
using columns::TypeId;
using program::KeyField;
using program::Op;
using program::RegisterView;
using program::Type;

namespace {

int bits_for(uint128 states) {  // to tell `states` values apart
  int bits = 0;
  while (bits < 127 && (static_cast<uint128>(1) << bits) < states) ++bits;
  return bits;
}

class ScratchSlot : public SlotState {
 public:
  explicit ScratchSlot(Context& context) : arena_(context.pool, "keys") {}
  void* state() override { return &arena_; }
  void begin_batch() override { arena_.reset(); }

 private:
  primitives::cpu::Arena arena_;
};

}  // namespace

KeyLayout lay_out(const std::vector<KeyColumn>& columns, bool nulls_count, bool probed) {
  KeyLayout layout;
  bool packable = true;
  for (const KeyColumn& column : columns) {
    KeyLayout::Field field{column.type, column.value.type};
    field.nullable = nulls_count && column.value.valid;
    field.dictionary = column.dictionary;
    uint128 states = 0;
    if (column.value.type == Type::mask) {
      states = 2;
    } else if (program::is_float(column.value.type)) {
      states = static_cast<uint128>(1) << (8 * program::bytes_of(column.value.type));
    } else if (program::is_whole(column.value.type) && column.value.interval) {
      const columns::Interval interval = *column.value.interval;
      field.bounded = true;
      field.base = interval.low;
      field.high = interval.high;
      const uint128 span = static_cast<uint128>(interval.high) - static_cast<uint128>(interval.low);
      if (interval.high < interval.low) {
        states = 1;  // no row has a value
        field.high = field.base;
      } else if (span < static_cast<uint128>(1) << 120) {
        states = span + 1;
      }
    } else if (column.value.type == Type::u64) {
      states = static_cast<uint128>(1) << 64;
      field.bounded = true;
      field.high = static_cast<int128>(~uint64{0});
    } else if (column.value.type == Type::i64 || column.value.type == Type::i32) {
      const int bits = column.value.type == Type::i64 ? 64 : 32;
      states = static_cast<uint128>(1) << bits;
      field.bounded = true;
      field.base = -(static_cast<int128>(1) << (bits - 1));
      field.high = -field.base - 1;
    }
    // Probes tell by range tests with 64-bit bounds whether a value has a key at all.
    if (probed && (field.base < INT64_MIN || field.high > INT64_MAX)) states = 0;
    packable &= states > 0;
    const uint128 all = states + (field.nullable ? 1 : 0);
    field.bits = bits_for(all);
    field.states = all >> 63 ? 0 : static_cast<uint64>(all);
    field.shift = layout.bits;
    layout.bits += field.bits;
    layout.fields.push_back(field);
  }
  if (!packable || layout.bits > 128) {
    layout.form = KeyLayout::Form::bytes;
  } else if (layout.bits > 64) {
    layout.form = KeyLayout::Form::wide;
  }
  return layout;
}

program::Operand pack(Assembly& assembly, const KeyLayout& layout, const std::vector<KeyColumn>& columns,
                      program::Operand rows, bool kept) {
  std::vector<KeyField> fields;
  for (size_t k = 0; k < columns.size(); ++k) {
    const KeyLayout::Field& field = layout.fields[k];
    fields.push_back({.value = columns[k].value.operand,
                      .valid = columns[k].value.valid,
                      .type = columns[k].value.type,
                      .nullable = field.nullable,
                      .shift = static_cast<uint8>(field.shift),
                      .bits = static_cast<uint8>(field.bits),
                      .base = field.base,
                      .states = field.states});
  }
  program::Builder& builder = assembly.builder();
  const auto list = static_cast<int16>(builder.add_list(std::move(fields)));
  if (layout.form != KeyLayout::Form::bytes) {
    return builder.append({.op = Op::pack_key, .type = layout.type(), .list = list}, layout.type());
  }
  const int slot =
      assembly.add_slot("key bytes", [](Context& context) { return std::make_unique<ScratchSlot>(context); });
  return builder.append(
      {.op = Op::bytes_key, .type = Type::view, .slot = static_cast<int16>(slot), .list = list, .c = rows, .imm = kept},
      Type::view);
}

Column key_column(const KeyLayout::Field& field, int64_t rows) {
  Column column;
  column.type = field.type;
  column.rows = rows;
  column.physical = columns::plain_physical(field.type);
  if (field.dictionary) {
    column.encoding = columns::Encoding::dictionary;
    column.dictionary = field.dictionary;
    column.physical = columns::Physical::w4;
  } else if (field.bounded) {
    column.interval = columns::Interval{field.base, field.high};
  }
  return column;
}

namespace {

// A key column while rows are appended.
class KeyWriter {
 public:
  KeyWriter(const KeyLayout::Field& field, int64_t rows, const memory::PoolPtr& pool) : field_(field), pool_(pool) {
    column_ = key_column(field, rows);
    bytes_ = columns::bytes_per_row(column_.physical);
    column_.values = pool->allocate_zeroed(bytes_ > 0 ? rows * bytes_ : (rows + 7) / 8, "group_by keys");
    if (field.nullable) column_.validity = pool->allocate_zeroed((rows + 7) / 8, "group_by keys");
  }
  // `present`: not null. `value`: the whole number, truth, or ordered bits of a float.
  void put(int64_t row, bool present, int128 value) {
    if (!present) return;
    if (field_.nullable) column_.validity.mutable_as<uint8>()[row >> 3] |= static_cast<uint8>(1u << (row & 7));
    if (bytes_ == 0) {
      if (value) column_.values.mutable_as<uint8>()[row >> 3] |= static_cast<uint8>(1u << (row & 7));
    } else if (field_.value_type == Type::f64) {
      column_.values.mutable_as<double>()[row] = primitives::float_of(static_cast<uint64>(value), 0.0);
    } else if (field_.value_type == Type::f32) {
      column_.values.mutable_as<float>()[row] = primitives::float_of(static_cast<uint64>(value), 0.0f);
    } else {
      std::memcpy(column_.values.mutable_as<char>() + row * bytes_, &value, static_cast<size_t>(bytes_));
    }
  }
  void put_text(int64_t row, const char* data, uint32 length) {
    if (field_.nullable) column_.validity.mutable_as<uint8>()[row >> 3] |= static_cast<uint8>(1u << (row & 7));
    columns::View& view = column_.values.mutable_as<columns::View>()[row];
    const RegisterView text = primitives::cpu::view_of(data, length);
    std::memcpy(&view, &text, sizeof view);
    if (length <= RegisterView::kInline) return;
    view.buffer = 0;
    view.offset = static_cast<int32>(characters_.size());
    characters_.append(data, length);
  }
  Column finish() {
    if (!characters_.empty()) {
      FZ_CHECK(characters_.size() < INT32_MAX);
      memory::Buffer buffer = pool_->allocate(static_cast<int64_t>(characters_.size()), "group_by keys");
      std::memcpy(buffer.mutable_as(), characters_.data(), characters_.size());
      column_.characters = {buffer};
    }
    return std::move(column_);
  }
  const KeyLayout::Field& field() const { return field_; }

 private:
  const KeyLayout::Field& field_;
  memory::PoolPtr pool_;
  Column column_;
  int bytes_;
  std::string characters_;
};

template <class Key>
std::vector<Column> unpack_numbers(const KeyLayout& layout, const Key* keys, int64_t rows,
                                   const memory::PoolPtr& pool) {
  std::vector<Column> columns;
  for (const KeyLayout::Field& field : layout.fields) {
    KeyWriter writer(field, rows, pool);
    const Key mask = field.bits >= static_cast<int>(sizeof(Key) * 8) ? ~Key{0} : (Key{1} << field.bits) - 1;
    for (int64_t row = 0; row < rows; ++row) {
      Key packed = field.bits == 0 ? 0 : (keys[row] >> field.shift) & mask;
      const bool present = !field.nullable || packed != 0;
      if (field.nullable) --packed;
      const bool whole = program::is_whole(field.value_type);
      writer.put(row, present, static_cast<int128>(packed) + (whole ? field.base : 0));
    }
    columns.push_back(writer.finish());
  }
  return columns;
}

}  // namespace

std::vector<Column> unpack(const KeyLayout& layout, const uint64* keys, int64_t rows, const memory::PoolPtr& pool) {
  return unpack_numbers(layout, keys, rows, pool);
}

std::vector<Column> unpack(const KeyLayout& layout, const uint128* keys, int64_t rows, const memory::PoolPtr& pool) {
  return unpack_numbers(layout, keys, rows, pool);
}

std::vector<Column> unpack(const KeyLayout& layout, const RegisterView* keys, int64_t rows,
                           const memory::PoolPtr& pool) {
  std::vector<KeyWriter> writers;
  for (const KeyLayout::Field& field : layout.fields) writers.emplace_back(field, rows, pool);
  for (int64_t row = 0; row < rows; ++row) {
    const char* at = keys[row].data();
    for (KeyWriter& writer : writers) {
      const bool present = *at++ != 0;
      if (!present) continue;
      if (writer.field().value_type == Type::view) {
        uint32 length;
        std::memcpy(&length, at, sizeof length);
        writer.put_text(row, at + sizeof length, length);
        at += sizeof length + length;
      } else {
        int128 value;
        std::memcpy(&value, at, sizeof value);
        writer.put(row, true, value);
        at += sizeof value;
      }
    }
  }
  std::vector<Column> columns;
  for (KeyWriter& writer : writers) columns.push_back(writer.finish());
  return columns;
}

}  // namespace frazil::execute
