// What the fast interpreter of the CUDA backend takes of a program; folding itself needs no device.
#include <gtest/gtest.h>

#include <vector>

#include "primitives/cuda/device_program.hpp"

namespace frazil::primitives::cuda {
namespace {

using program::Op;
using program::Operand;
using program::Type;

struct Sum {
  columns::TypeId id;
  Element element;
  Type value, cell;
};

// Each sum reads a column of its own.
Folded sums(const std::vector<Sum>& wanted) {
  program::Program program;
  std::vector<int> slots;
  for (const Sum& sum : wanted) {
    const auto c = static_cast<uint16>(slots.size());
    const Operand value{Operand::value, c};
    program.columns.push_back({"column", columns::simple(sum.id), sum.element});
    program.registers.push_back(sum.value);
    program.code.push_back({.op = Op::load, .type = sum.value, .dst = value, .a = {Operand::column, c}});
    program.code.push_back(
        {.op = Op::cell_add, .type = sum.cell, .from = sum.value, .slot = static_cast<int16>(c), .a = value});
    slots.push_back(c);
  }
  return fold(program, slots);
}

const Sum kNarrow{columns::TypeId::int32, Element::i32, Type::i32, Type::i64};
const Sum kWide{columns::TypeId::int64, Element::i64, Type::i64, Type::i64};
const Sum kReal{columns::TypeId::float64, Element::f64, Type::f64, Type::f64};

TEST(Fold, SumsOfOneKindAreDoneInTheWidestWord) {
  EXPECT_EQ(sums({kNarrow, kNarrow}).lacks, "");
  EXPECT_EQ(sums({kNarrow}).word, Word::i32);
  EXPECT_EQ(sums({kNarrow, kWide}).lacks, "");
  EXPECT_EQ(sums({kNarrow, kWide}).word, Word::i64);
  EXPECT_EQ(sums({kReal, kReal}).lacks, "");
  EXPECT_EQ(sums({kReal}).word, Word::f64);
}

// Whole numbers would be added up as doubles, and read as whole numbers.
TEST(Fold, SumsOfWholesBesideFloatsAreLeftOut) {
  EXPECT_NE(sums({kReal, kNarrow}).lacks, "");
  EXPECT_NE(sums({kWide, kReal}).lacks, "");
}

TEST(Fold, AccumulatorsOfAnotherTypeAreLeftOut) {
  EXPECT_NE(sums({{columns::TypeId::int64, Element::i64, Type::i64, Type::i128}}).lacks, "");
  EXPECT_NE(sums({{columns::TypeId::int64, Element::i64, Type::i64, Type::f64}}).lacks, "");
}

TEST(Fold, ASumIsFoldedIntoTheLoadThatMakesItsValue) {
  const Folded folded = sums({kNarrow});
  ASSERT_EQ(folded.program.step_count, 1);
  EXPECT_EQ(folded.program.steps[0].op, DeviceOp::move);
  EXPECT_EQ(folded.program.steps[0].cell, 0);
  EXPECT_EQ(folded.program.steps[0].dst, kNone);
}

// sum(x * (1 - y)), sum(x) and sum(y) by a group of one column; `filters`: with a filter behind 1 - y.
Folded grouped(bool filters) {
  program::Program program;
  auto value = [](uint16 number) { return Operand{Operand::value, number}; };
  const Operand one{Operand::literal, 0}, live{Operand::value, 5};
  for (const char* name : {"x", "y"})
    program.columns.push_back({name, columns::simple(columns::TypeId::float64), Element::f64});
  program.columns.push_back({"key", columns::simple(columns::TypeId::int32), Element::i32});
  program.literals.push_back({Type::f64, 0x3ff0000000000000});
  program.registers = {Type::f64, Type::f64, Type::i32, Type::f64, Type::f64, Type::mask};
  auto add = [&](program::Instruction i) { program.code.push_back(i); };
  add({.op = Op::load, .type = Type::f64, .dst = value(0), .a = {Operand::column, 0}});
  add({.op = Op::load, .type = Type::f64, .dst = value(1), .a = {Operand::column, 1}});
  add({.op = Op::load, .type = Type::i32, .dst = value(2), .a = {Operand::column, 2}});
  add({.op = Op::map, .type = Type::f64, .function = 7, .dst = value(3), .a = one, .b = value(1)});
  if (filters) {
    add({.op = Op::range, .type = Type::i32, .dst = live, .a = value(2), .imm = 1, .imm2 = 2});
    add({.op = Op::filter, .dst = live, .b = live});
  }
  add({.op = Op::map, .type = Type::f64, .function = 8, .dst = value(4), .a = value(0), .b = value(3)});
  for (int16 slot = 0; slot < 3; ++slot) {
    const Operand summed = value(slot == 2 ? 4 : static_cast<uint16>(slot));
    add({.op = Op::cell_add,
         .type = Type::f64,
         .from = Type::f64,
         .slot = slot,
         .a = summed,
         .c = filters ? live : Operand{}});
  }
  program.lists.push_back({program::KeyField{.value = value(2), .type = Type::i32, .states = 3}});
  add({.op = Op::pack_key, .list = 0});
  return fold(program, {0, 1, 2});
}

TEST(Fold, AFunctionOfAColumnAndALiteralIsPartOfTheStepThatTakesIt) {
  const Folded folded = grouped(false);
  ASSERT_EQ(folded.lacks, "");
  ASSERT_EQ(folded.program.step_count, 2);
  const DeviceStep& step = folded.program.steps[0];
  EXPECT_EQ(step.function, 8);
  EXPECT_EQ(step.inner, 7);
  EXPECT_TRUE(step.flags & kLiteralFirst);
  EXPECT_EQ(step.cell_a, 0);
  EXPECT_EQ(step.cell_b, 1);
  EXPECT_EQ(step.cell, 2);
  EXPECT_EQ(folded.program.registers, 0);
}

// The sum of y would miss what the filter drops, or count it.
TEST(Fold, NothingIsFoldedAcrossAFilter) {
  const Folded folded = grouped(true);
  ASSERT_EQ(folded.lacks, "");
  for (int at = 0; at < folded.program.step_count; ++at) EXPECT_EQ(folded.program.steps[at].inner, kNoFunction);
  EXPECT_GT(folded.program.registers, 0);
}

}  // namespace
}  // namespace frazil::primitives::cuda
