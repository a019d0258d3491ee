#include "base/error.hpp"
#include "program/program.hpp"

namespace frazil::program {
namespace {

// A read of a register, and what its reader expects it to hold; none: anything.
void check_read(const Program& program, const std::vector<char>& written, const Operand& operand, Type expected) {
  switch (operand.kind) {
    case Operand::none: return;
    case Operand::column: FZ_CHECK(operand.index < program.columns.size()); return;
    case Operand::literal:
      FZ_CHECK(operand.index < program.literals.size());
      FZ_CHECK(expected == Type::none || program.literals[operand.index].type == expected);
      return;
    case Operand::value:
      FZ_CHECK(operand.index < program.registers.size() && written[operand.index]);
      FZ_CHECK(expected == Type::none || program.registers[operand.index] == expected);
  }
}

struct Expected {
  Type a, b, c;
};

Expected expected_of(const Instruction& i) {
  switch (i.op) {
    case Op::map: return {i.type, i.type, i.type};
    case Op::convert:
    case Op::wrap: return {i.from, Type::none, Type::none};
    case Op::select: return {i.type, i.type, Type::mask};
    case Op::mask_and:
    case Op::mask_or:
    case Op::mask_and_not:
    case Op::mask_not:
    case Op::filter:
    case Op::compact: return {Type::mask, Type::mask, Type::none};
    case Op::range:
    case Op::lookup: return {i.type, Type::none, Type::none};
    case Op::group:
    case Op::probe: return {i.from, Type::none, Type::mask};
    case Op::matched:
    case Op::gather:
    case Op::gather_valid: return {Type::row, Type::none, Type::none};
    case Op::cell_add:
    case Op::cell_min:
    case Op::cell_max:
    case Op::cell_count: return {i.from, Type::row, Type::mask};
    case Op::emit: return {i.type, Type::none, Type::mask};
    case Op::emit_mask: return {Type::mask, Type::none, Type::mask};
    case Op::call:
    case Op::emit_rows:
    case Op::count_rows: return {Type::none, Type::none, Type::mask};
    case Op::load:
    case Op::load_bits:
    case Op::load_valid:
    case Op::position:
    case Op::pack_key:
    case Op::bytes_key: break;
  }
  return {Type::none, Type::none, Type::none};
}

}  // namespace

void verify(const Program& program) {
  std::vector<char> written(program.registers.size(), 0);
  for (const Instruction& i : program.code) {
    Expected expected = expected_of(i);
    const bool reads_rows = i.op == Op::range || i.op == Op::lookup || i.op == Op::wrap;
    FZ_CHECK(!reads_rows || i.a.kind == Operand::value);
    check_read(program, written, i.a, expected.a);
    check_read(program, written, i.b, expected.b);
    check_read(program, written, i.c, expected.c);
    check_read(program, written, i.entry, Type::mask);
    FZ_CHECK(i.list < static_cast<int>(program.lists.size()));
    if (i.list >= 0) {
      for (const KeyField& field : program.lists[i.list]) {
        check_read(program, written, field.value, field.type);
        check_read(program, written, field.valid, Type::mask);
      }
    }
    FZ_CHECK(i.slot < static_cast<int>(program.slots.size()));
    if (i.dst) {
      FZ_CHECK(i.dst.kind == Operand::value && i.dst.index < program.registers.size());
      written[i.dst.index] = 1;
    }
  }
}

}  // namespace frazil::program
