// The tables that the build generates from what lies in src/functions and src/operators.
#pragma once

#include "lower/function.hpp"
#include "lower/lowering.hpp"

namespace frazil::engine {

std::vector<lower::Function> generated_functions();
std::vector<const lower::Operator*> generated_operators();

}  // namespace frazil::engine

namespace frazil::functions {
// The loops of map functions, by instruction set.
namespace v2 {
primitives::cpu::Step map_step_of(const program::Instruction& i);
}
namespace v3 {
primitives::cpu::Step map_step_of(const program::Instruction& i);
}
namespace v4 {
primitives::cpu::Step map_step_of(const program::Instruction& i);
}
}  // namespace frazil::functions
