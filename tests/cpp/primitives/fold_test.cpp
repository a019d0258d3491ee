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
  for (uint16 c = 0; c < wanted.size(); ++c) {
    const Sum& sum = wanted[c];
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

}  // namespace
}  // namespace frazil::primitives::cuda
