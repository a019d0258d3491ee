#include <algorithm>

#include "base/error.hpp"
#include "program/program.hpp"

namespace frazil::program {
namespace {

bool has_effect(const Instruction& i) {
  // A checked function may raise even if nobody reads its result.
  return !i.dst || i.op == Op::filter || i.op == Op::group || i.op == Op::probe || (i.op == Op::map && i.imm == 1);
}

template <class F>
void each_read(Program& program, Instruction& i, F f) {
  for (Operand* operand : {&i.a, &i.b, &i.c, &i.entry}) {
    if (operand->kind == Operand::value) f(*operand);
  }
  if (i.list >= 0) {
    for (KeyField& field : program.lists[i.list]) {
      if (field.value.kind == Operand::value) f(field.value);
      if (field.valid.kind == Operand::value) f(field.valid);
    }
  }
}

void drop_unread(Program& program) {
  std::vector<char> read(program.registers.size(), 0);
  std::vector<Instruction> kept;
  for (auto i = program.code.rbegin(); i != program.code.rend(); ++i) {
    if (!has_effect(*i) && !read[i->dst.index]) continue;
    each_read(program, *i, [&](Operand& operand) { read[operand.index] = 1; });
    kept.push_back(*i);
  }
  std::reverse(kept.begin(), kept.end());
  program.code = std::move(kept);
}

}  // namespace

Program allocate(Program program) {
  drop_unread(program);
  const size_t values = program.registers.size();
  std::vector<int> last_read(values, -1);
  for (size_t at = 0; at < program.code.size(); ++at) {
    Instruction& i = program.code[at];
    if (i.dst) last_read[i.dst.index] = static_cast<int>(at);
    each_read(program, i, [&](Operand& operand) { last_read[operand.index] = static_cast<int>(at); });
  }
  std::vector<Type> registers;
  std::vector<std::vector<uint16>> free_registers(kTypes);
  std::vector<int> place(values, -1);
  std::vector<size_t> living;  // values that hold a register
  for (size_t at = 0; at < program.code.size(); ++at) {
    Instruction& i = program.code[at];
    each_read(program, i, [&](Operand& operand) {
      FZ_CHECK(place[operand.index] >= 0);
      operand.index = static_cast<uint16>(place[operand.index]);
    });
    // A destination never shares a register with an operand of its instruction: executors may run it row by row or
    // register by register.
    if (i.dst) {
      const Type type = program.registers[i.dst.index];
      auto& pool = free_registers[static_cast<int>(type)];
      uint16 chosen;
      if (pool.empty()) {
        chosen = static_cast<uint16>(registers.size());
        registers.push_back(type);
      } else {
        chosen = pool.back();
        pool.pop_back();
      }
      place[i.dst.index] = chosen;
      living.push_back(i.dst.index);
      i.dst.index = chosen;
    }
    std::erase_if(living, [&](size_t value) {
      if (last_read[value] > static_cast<int>(at)) return false;
      free_registers[static_cast<int>(program.registers[value])].push_back(static_cast<uint16>(place[value]));
      return true;
    });
    if (i.op == Op::compact) {
      uint64 carried = 0;
      for (size_t value : living) {
        FZ_CHECK(place[value] < 64);
        carried |= 1ull << place[value];
      }
      i.imm = static_cast<int64>(carried);
    }
  }
  program.registers = std::move(registers);
  return program;
}

}  // namespace frazil::program
