// Verbs with memory: keys, groups, probes, gathers and emits.
#include <cstring>

#include "base/error.hpp"
#include "primitives/cpu/machine.hpp"
#include "primitives/cpu/state.hpp"
#include "primitives/ordered_bits.hpp"

namespace frazil::primitives::cpu {
namespace {

using program::KeyField;
using program::Op;
using program::RegisterView;

RegisterView register_view(const columns::View& view, const char* const* characters) {
  RegisterView out;
  std::memcpy(&out, &view, sizeof out);
  if (view.length > columns::View::kInline) out.address = characters[view.buffer] + view.offset;
  return out;
}

void load_view(Tile& tile, const Instruction& i) {
  const BoundColumn& column = tile.columns[i.a.index];
  ++tile.tiles_loaded;
  const columns::View* from = static_cast<const columns::View*>(column.values);
  RegisterView* to = result_of<RegisterView>(tile, i.dst);
  for (int k = 0; k < tile.rows; ++k) {
    const int64 row = column.constant ? 0 : batch_row(tile, k);
    // A null row may hold anything, also a view that points nowhere.
    const int64 bit = column.bit_offset + row;
    if (column.validity && !(column.validity[bit >> 3] >> (bit & 7) & 1)) {
      to[k] = RegisterView{};
    } else {
      to[k] = register_view(from[row], column.characters);
    }
  }
}

// --- keys ------------------------------------------------------------------------------------------------------------

template <class Key, class T>
void pack_field(const Tile& tile, const KeyField& field, Key* keys) {
  const T* values = values_of<T>(tile, field.value);
  const int step = field.value.kind != Operand::literal;
  const Key base = static_cast<Key>(field.base);  // a join's other side may be wider than T
  for (int w = 0; w < words_of(tile); ++w) {
    const uint64 valid = mask_word(tile, field.valid, w);
    const int end = std::min(64, tile.rows - w * 64);
    for (int k = 0; k < end; ++k) {
      const int row = w * 64 + k;
      Key packed;
      if constexpr (std::is_floating_point_v<T>) {
        packed = static_cast<Key>(ordered_bits(values[row * step]));
      } else {
        packed = static_cast<Key>(values[row * step]) - base;
      }
      if (field.nullable) packed = valid >> k & 1 ? packed + 1 : 0;
      keys[row] |= packed << field.shift;
    }
  }
}

template <class Key>
void pack_mask(const Tile& tile, const KeyField& field, Key* keys) {
  for (int w = 0; w < words_of(tile); ++w) {
    const uint64 truth = mask_word(tile, field.value, w), valid = mask_word(tile, field.valid, w);
    for (int k = 0; k < std::min(64, tile.rows - w * 64); ++k) {
      Key packed = truth >> k & 1;
      if (field.nullable) packed = valid >> k & 1 ? packed + 1 : 0;
      keys[w * 64 + k] |= packed << field.shift;
    }
  }
}

template <class Key>
void pack_key(Tile& tile, const Instruction& i) {
  Key* keys = result_of<Key>(tile, i.dst);
  std::memset(keys, 0, sizeof(Key) * static_cast<size_t>(tile.rows));
  for (const KeyField& field : tile.lists[i.list]) {
    if (field.bits == 0) continue;  // a single value; it may lie behind the key's last bit
    switch (field.type) {
      case Type::mask: pack_mask(tile, field, keys); break;
      case Type::i32: pack_field<Key, int32>(tile, field, keys); break;
      case Type::i64: pack_field<Key, int64>(tile, field, keys); break;
      case Type::u64: pack_field<Key, uint64>(tile, field, keys); break;
      case Type::i128: pack_field<Key, int128>(tile, field, keys); break;
      case Type::u128: pack_field<Key, uint128>(tile, field, keys); break;
      case Type::f32: pack_field<Key, float>(tile, field, keys); break;
      case Type::f64: pack_field<Key, double>(tile, field, keys); break;
      default: FZ_CHECK(false);
    }
  }
}

// One field of one row as bytes: a null byte, then 16 bytes of a number or the length and text of a view.
void append_field(const Tile& tile, const KeyField& field, int row, std::string& key) {
  const bool valid = mask_word(tile, field.valid, row >> 6) >> (row & 63) & 1;
  key.push_back(static_cast<char>(valid));
  if (!valid) return;
  const int at = field.value.kind == Operand::literal ? 0 : row;
  auto put = [&](auto value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  switch (field.type) {
    case Type::mask: put(static_cast<int128>(mask_word(tile, field.value, row >> 6) >> (row & 63) & 1)); break;
    case Type::i32: put(static_cast<int128>(values_of<int32>(tile, field.value)[at])); break;
    case Type::i64: put(static_cast<int128>(values_of<int64>(tile, field.value)[at])); break;
    case Type::u64: put(static_cast<int128>(values_of<uint64>(tile, field.value)[at])); break;
    case Type::i128: put(values_of<int128>(tile, field.value)[at]); break;
    case Type::u128: put(values_of<uint128>(tile, field.value)[at]); break;
    case Type::f32: put(static_cast<int128>(ordered_bits(values_of<float>(tile, field.value)[at]))); break;
    case Type::f64: put(static_cast<int128>(ordered_bits(values_of<double>(tile, field.value)[at]))); break;
    case Type::view: {
      const RegisterView& view = values_of<RegisterView>(tile, field.value)[at];
      put(view.length);
      key.append(view.data(), view.length);
      break;
    }
    default: FZ_CHECK(false);
  }
}

void bytes_key(Tile& tile, const Instruction& i) {
  Arena& scratch = *static_cast<Arena*>(tile.slots[i.slot]);
  if (i.imm == 0) scratch.reset();
  RegisterView* keys = result_of<RegisterView>(tile, i.dst);
  std::string key;
  each_row(tile, i.c, [&](int row) {
    key.clear();
    for (const KeyField& field : tile.lists[i.list]) append_field(tile, field, row, key);
    char* to = scratch.allocate(static_cast<int64>(key.size()));
    std::memcpy(to, key.data(), key.size());
    keys[row] = view_of(to, static_cast<uint32>(key.size()));
  });
}

// --- group and probe -------------------------------------------------------------------------------------------------

template <class Key>
void group(Tile& tile, const Instruction& i, GroupTable<Key>& table) {
  const Key* keys = values_of<Key>(tile, i.a);
  uint32* to = result_of<uint32>(tile, i.dst);
  uint64 hashes[kTileRows];
  each_row(tile, i.c, [&](int row) {
    hashes[row] = hash_of(keys[row]);
    table.prefetch(hashes[row]);
  });
  // Clustered keys come in runs: a row with the key of the row before it needs no look-up.
  int last = -1;
  each_row(tile, i.c, [&](int row) {
    const bool same = last >= 0 && hashes[row] == hashes[last] && same_key(keys[row], keys[last]);
    to[row] = same ? to[last] : table.find_or_insert(keys[row], hashes[row]);
    last = row;
  });
}

void group(Tile& tile, const Instruction& i) {
  GroupState& state = *static_cast<GroupState*>(tile.slots[i.slot]);
  if (state.narrow) group(tile, i, *state.narrow);
  if (state.wide) group(tile, i, *state.wide);
  if (state.text) group(tile, i, *state.text);
  state.grow_cells();
}

template <class Key>
void probe(Tile& tile, const Instruction& i, const JoinTable<Key>& table) {
  const Key* keys = values_of<Key>(tile, i.a);
  uint32* to = result_of<uint32>(tile, i.dst);
  std::memset(to, 0xff, sizeof(uint32) * static_cast<size_t>(tile.rows));
  if (table.dense()) return each_row(tile, i.c, [&](int row) { to[row] = table.find(keys[row], 0); });
  uint64 hashes[kTileRows];
  each_row(tile, i.c, [&](int row) {
    hashes[row] = hash_of(keys[row]);
    table.prefetch(hashes[row]);
  });
  each_row(tile, i.c, [&](int row) { to[row] = table.find(keys[row], hashes[row]); });
}

void probe(Tile& tile, const Instruction& i) {
  const ProbeState& state = *static_cast<const ProbeState*>(tile.slots[i.slot]);
  if (state.narrow) probe(tile, i, *state.narrow);
  if (state.wide) probe(tile, i, *state.wide);
  if (state.text) probe(tile, i, *state.text);
}

void matched(Tile& tile, const Instruction& i) {
  const uint32* rows = values_of<uint32>(tile, i.a);
  uint64* to = result_of<uint64>(tile, i.dst);
  for (int w = 0; w < words_of(tile); ++w) {
    uint64 word = 0;
    for (int k = 0; k < std::min(64, tile.rows - w * 64); ++k) {
      word |= static_cast<uint64>(rows[w * 64 + k] != kNoRow) << k;
    }
    to[w] = word;
  }
}

void position(Tile& tile, const Instruction& i) {
  int64* to = result_of<int64>(tile, i.dst);
  for (int row = 0; row < tile.rows; ++row) to[row] = tile.position + batch_row(tile, row);
}

// --- gather ----------------------------------------------------------------------------------------------------------

template <class E, class T>
void gather(Tile& tile, const Instruction& i) {
  const GatherState& state = *static_cast<const GatherState*>(tile.slots[i.slot]);
  const BoundColumn& column = state.column;
  const E* from = static_cast<const E*>(column.values);
  const T base = static_cast<T>(i.imm);
  const uint32* rows = values_of<uint32>(tile, i.a);
  T* to = result_of<T>(tile, i.dst);
  for (int k = 0; k < tile.rows; ++k) {
    to[k] = rows[k] < state.rows ? static_cast<T>(static_cast<T>(from[column.constant ? 0 : rows[k]]) + base) : T{};
  }
}

void gather_view(Tile& tile, const Instruction& i) {
  const GatherState& state = *static_cast<const GatherState*>(tile.slots[i.slot]);
  const BoundColumn& column = state.column;
  const columns::View* from = static_cast<const columns::View*>(column.values);
  const uint32* rows = values_of<uint32>(tile, i.a);
  RegisterView* to = result_of<RegisterView>(tile, i.dst);
  for (int k = 0; k < tile.rows; ++k) {
    const int64 row = column.constant ? 0 : rows[k], bit = column.bit_offset + row;
    const bool valid = rows[k] < state.rows && (!column.validity || column.validity[bit >> 3] >> (bit & 7) & 1);
    to[k] = valid ? register_view(from[row], column.characters) : RegisterView{};
  }
}

void gather_bits(Tile& tile, const Instruction& i) {
  const GatherState& state = *static_cast<const GatherState*>(tile.slots[i.slot]);
  const BoundColumn& column = state.column;
  const uint8* bits = i.op == Op::gather_valid ? column.validity : column.bits;
  const uint32* rows = values_of<uint32>(tile, i.a);
  uint64* to = result_of<uint64>(tile, i.dst);
  std::memset(to, 0, sizeof(uint64) * static_cast<size_t>(words_of(tile)));
  for (int k = 0; k < tile.rows; ++k) {
    if (rows[k] >= state.rows) continue;
    const int64 bit = column.bit_offset + (column.constant ? 0 : rows[k]);
    if (!bits || bits[bit >> 3] >> (bit & 7) & 1) to[k >> 6] |= 1ull << (k & 63);
  }
}

template <class T>
Step gather_as(Element element) {
  switch (element) {
    case Element::i8: return gather<int8, T>;
    case Element::i16: return gather<int16, T>;
    case Element::i32: return gather<int32, T>;
    case Element::i64: return gather<int64, T>;
    case Element::i128: return gather<int128, T>;
    case Element::u8: return gather<uint8, T>;
    case Element::u16: return gather<uint16, T>;
    case Element::u32: return gather<uint32, T>;
    case Element::u64: return gather<uint64, T>;
    case Element::u128: return gather<uint128, T>;
    default: return nullptr;
  }
}

Step gather_step(const Instruction& i) {
  switch (i.type) {
    case Type::i32: return gather_as<int32>(i.element);
    case Type::i64: return gather_as<int64>(i.element);
    case Type::u64: return gather_as<uint64>(i.element);
    case Type::i128: return gather_as<int128>(i.element);
    case Type::u128: return gather_as<uint128>(i.element);
    case Type::f32: return gather<float, float>;
    case Type::f64: return gather<double, double>;
    case Type::view: return gather_view;
    case Type::mask: return gather_bits;
    default: return nullptr;
  }
}

// --- emit ------------------------------------------------------------------------------------------------------------

template <class T>
void emit(Tile& tile, const Instruction& i) {
  OutputArray& out = static_cast<OutputArray*>(tile.slots[i.slot])[i.imm];
  T* to = static_cast<T*>(out.values) + out.rows;
  const T* from = values_of<T>(tile, i.a);
  int64 count = 0;
  if (i.a.kind == Operand::literal) {
    each_row(tile, i.c, [&](int) { to[count++] = *from; });
  } else if (!i.c) {
    std::memcpy(to, from, sizeof(T) * static_cast<size_t>(tile.rows));
    count = tile.rows;
  } else {
    each_row(tile, i.c, [&](int row) { to[count++] = from[row]; });
  }
  out.rows += count;
}

void emit_mask(Tile& tile, const Instruction& i) {
  OutputArray& out = static_cast<OutputArray*>(tile.slots[i.slot])[i.imm];
  uint8* to = static_cast<uint8*>(out.values) + out.rows;
  int64 count = 0;
  each_row(tile, i.c, [&](int row) { to[count++] = mask_word(tile, i.a, row >> 6) >> (row & 63) & 1; });
  out.rows += count;
}

void emit_rows(Tile& tile, const Instruction& i) {
  OutputArray& out = static_cast<OutputArray*>(tile.slots[i.slot])[i.imm];
  uint32* to = static_cast<uint32*>(out.values) + out.rows;
  int64 count = 0;
  each_row(tile, i.c, [&](int row) { to[count++] = static_cast<uint32>(batch_row(tile, row)); });
  out.rows += count;
}

void count_rows(Tile& tile, const Instruction& i) {
  int64 live = 0;
  for (int w = 0; w < words_of(tile); ++w) live += __builtin_popcountll(mask_word(tile, i.c, w));
  tile.node_rows[i.node] += live;
}

}  // namespace

Step state_verb(const Instruction& i) {
  switch (i.op) {
    case Op::load: return i.type == Type::view ? load_view : nullptr;
    case Op::pack_key: return i.type == Type::u64 ? pack_key<uint64> : pack_key<uint128>;
    case Op::bytes_key: return bytes_key;
    case Op::group: return group;
    case Op::probe: return probe;
    case Op::matched: return matched;
    case Op::position: return position;
    case Op::gather: return gather_step(i);
    case Op::gather_valid: return gather_bits;
    case Op::emit:
      switch (program::bytes_of(i.type)) {
        case 4: return emit<uint32>;
        case 8: return emit<uint64>;
        default: return emit<uint128>;
      }
    case Op::emit_mask: return emit_mask;
    case Op::emit_rows: return emit_rows;
    case Op::count_rows: return count_rows;
    default: return nullptr;
  }
}

}  // namespace frazil::primitives::cpu
