#include <bit>
#include <cstring>

#include "program/program.hpp"

namespace frazil::program {
namespace {

const char* name_of(Op op) {
  static const char* const names[kOps] = {
      "load",     "load_bits", "load_valid", "map",        "call",    "convert",   "wrap",      "select",
      "and",      "or",        "and_not",    "not",        "range",   "lookup",    "filter",    "compact",
      "pack_key", "bytes_key", "group",      "probe",      "matched", "position",  "gather",    "gather_valid",
      "cell_add", "cell_min",  "cell_max",   "cell_count", "emit",    "emit_mask", "emit_rows", "count_rows"};
  return names[static_cast<int>(op)];
}

const char* name_of(Type type) {
  static const char* const names[kTypes] = {"",     "mask", "i32", "i64",  "u64", "i128",
                                            "u128", "f32",  "f64", "view", "row"};
  return names[static_cast<int>(type)];
}

std::string text_of(int128 value) {
  if (value == 0) return "0";
  bool negative = value < 0;
  uint128 rest = negative ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  std::string digits;
  for (; rest; rest /= 10) digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return negative ? "-" + digits : digits;
}

std::string text_of(const Literal& literal) {
  if (literal.type == Type::view) return "\"" + literal.text + "\"";
  if (literal.type == Type::f64) {
    double value;
    std::memcpy(&value, &literal.bits, sizeof value);
    return std::to_string(value);
  }
  if (literal.type == Type::f32) {
    float value;
    std::memcpy(&value, &literal.bits, sizeof value);
    return std::to_string(value);
  }
  return text_of(literal.bits);
}

std::string text_of(const Program& program, const Operand& operand) {
  switch (operand.kind) {
    case Operand::none: return "all";
    case Operand::value: return "%" + std::to_string(operand.index);
    case Operand::column: return program.columns[operand.index].name;
    case Operand::literal: return text_of(program.literals[operand.index]);
  }
  return "";
}

std::string bound(int64 value) {
  if (value == INT64_MIN) return "-inf";
  if (value == INT64_MAX) return "inf";
  return std::to_string(value);
}

std::string text_of(const Program& program, const KeyField& field) {
  std::string text = text_of(program, field.value);
  if (field.bits > 0) text += ":" + std::to_string(field.bits);
  if (field.nullable) text += "?";
  return text;
}

std::string line_of(const Program& program, const FunctionNames& functions, const Instruction& i) {
  std::string line;
  if (i.dst) line = text_of(program, i.dst) + " = ";
  line += i.op == Op::map || i.op == Op::call ? functions[i.function] : name_of(i.op);
  if (i.type != Type::none && i.type != Type::mask) line += std::string(".") + name_of(i.type);
  if (i.op == Op::convert) line += std::string(" from ") + name_of(i.from);
  bool first = true;
  auto argument = [&](const std::string& text) {
    line += (first ? " " : ", ") + text;
    first = false;
  };
  const bool is_cell = i.op >= Op::cell_add && i.op <= Op::cell_count;
  if (i.a || i.op == Op::mask_not || i.op == Op::filter) argument(text_of(program, i.a));
  if (i.b) argument((is_cell ? "group " : "") + text_of(program, i.b));
  const bool has_rows = is_cell || i.op >= Op::emit || i.op == Op::group || i.op == Op::probe || i.op == Op::call;
  if (i.c) argument((has_rows ? "rows " : "") + text_of(program, i.c));
  if (i.list >= 0) {
    for (const KeyField& field : program.lists[i.list]) argument(text_of(program, field));
  }
  if (i.op == Op::range && is_float(i.type)) {
    line += " in [" + std::to_string(std::bit_cast<double>(i.imm)) + ", " +
            std::to_string(std::bit_cast<double>(i.imm2)) + "]";
  } else if (i.op == Op::range) {
    line += " in [" + bound(i.imm) + ", " + bound(i.imm2) + "]";
  }
  if (i.op == Op::load && i.imm) line += " + " + std::to_string(i.imm);
  if (i.op == Op::emit || i.op == Op::emit_mask) line += " -> " + std::to_string(i.imm);
  if (i.op == Op::map && i.imm == 1) line += i.entry ? " or raise, rows " + text_of(program, i.entry) : " or raise";
  if (i.slot >= 0) line += "  [" + program.slots[i.slot] + "]";
  return line;
}

}  // namespace

std::string print(const Program& program, const FunctionNames& functions) {
  std::string text;
  for (const Instruction& i : program.code) text += line_of(program, functions, i) + "\n";
  size_t bytes = 0;
  for (Type type : program.registers) bytes += static_cast<size_t>(bytes_of(type));
  text += std::to_string(program.registers.size()) + " registers, " + std::to_string(bytes) + " bytes a row\n";
  return text;
}

}  // namespace frazil::program
