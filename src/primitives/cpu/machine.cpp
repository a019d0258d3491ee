#include "primitives/cpu/machine.hpp"

#include <cstring>
#include <string>

#include "base/error.hpp"
#include "primitives/cpu/arena.hpp"

namespace frazil::primitives::cpu {

using program::RegisterView;

int native_level() {
  static const int level = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return 2;
    if (__builtin_cpu_supports("x86-64-v3")) return 1;
    return 0;
  }();
  return level;
}

VerbLookup native_verbs() {
  static constexpr VerbLookup tables[] = {v2::verb, v3::verb, v4::verb};
  return tables[native_level()];
}

Machine::Machine(const program::Program& program, VerbLookup functions, const memory::PoolPtr& pool,
                 const std::atomic<bool>& cancelled)
    : program_(program), cancelled_(cancelled), selection_(kTileRows) {
  for (const Instruction& i : program.code) {
    const bool is_function = i.op == program::Op::map || i.op == program::Op::call;
    Step step = is_function ? functions(i) : native_verbs()(i);
    if (!step) step = state_verb(i);
    if (!step) {
      fail(ErrorKind::internal, "no loop for instruction " + std::to_string(static_cast<int>(i.op)) + " of type " +
                                    std::to_string(static_cast<int>(i.type)) + " from " +
                                    std::to_string(static_cast<int>(i.from)));
    }
    code_.push_back({step, &i});
  }
  int64 bytes = 0;
  auto bytes_of_register = [](Type type) {
    return static_cast<int64>(type == Type::mask ? kTileWords * 8 : program::bytes_of(type) * kTileRows);
  };
  for (Type type : program.registers) bytes += bytes_of_register(type);
  storage_ = pool->allocate_zeroed(bytes, "tile registers");
  char* at = storage_.mutable_as<char>();
  for (Type type : program.registers) {
    own_.push_back(at);
    at += bytes_of_register(type);
  }
  registers_ = own_;
  for (const auto& list : program.lists) lists_.push_back({list.data(), list.data() + list.size()});
  literal_values_.resize(program.literals.size());
  for (size_t l = 0; l < program.literals.size(); ++l) {
    const program::Literal& literal = program.literals[l];
    if (literal.type == Type::view) {
      RegisterView view = view_of(literal.text.data(), static_cast<uint32>(literal.text.size()));
      std::memcpy(&literal_values_[l], &view, sizeof view);
    } else {
      literal_values_[l] = static_cast<uint128>(literal.bits);  // little-endian: narrower types lie at the front
    }
    literals_.push_back(&literal_values_[l]);
  }
}

void Machine::run(std::span<const BoundColumn> columns, int64 rows, int64 ordinal, int64 position, void* const* slots,
                  int64* node_rows) {
  Tile tile{};
  tile.selection_own = selection_.data();
  tile.columns = columns.data();
  tile.registers = registers_.data();
  tile.own = own_.data();
  tile.literals = literals_.data();
  tile.slots = slots;
  tile.types = program_.registers.data();
  tile.lists = lists_.data();
  tile.node_rows = node_rows;
  tile.ordinal = ordinal;
  tile.position = position;
  for (int64 base = 0; base < rows && tile.error.row < 0; base += kTileRows) {
    if (cancelled_.load(std::memory_order_relaxed)) break;
    tile.rows = static_cast<int>(std::min<int64>(kTileRows, rows - base));
    tile.base = base;
    tile.selection = nullptr;
    tile.dead = false;
    for (const Bound& bound : code_) {
      bound.step(tile, *bound.instruction);
      if (tile.dead) break;
    }
  }
  tiles_loaded_ += tile.tiles_loaded;
  if (tile.error.row >= 0 && (error_.row < 0 || tile.error.row < error_.row)) error_ = tile.error;
}

BoundColumn bind_column(const columns::Column& column, std::vector<const char*>& characters) {
  BoundColumn bound{};
  bound.bit_offset = column.offset;
  bound.constant = column.encoding == columns::Encoding::constant;
  if (column.validity) bound.validity = column.validity.as<uint8>();
  if (column.physical == columns::Physical::bits) {
    bound.bits = column.values.as<uint8>();
  } else {
    bound.values = column.values.as<char>() + column.offset * columns::bytes_per_row(column.physical);
  }
  characters.clear();
  for (const memory::Buffer& buffer : column.characters) characters.push_back(buffer.as<char>());
  bound.characters = characters.data();
  return bound;
}

}  // namespace frazil::primitives::cpu
