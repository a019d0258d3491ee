// The tables that the build generates from what lies in src/functions and src/operators.
#pragma once

#include "lower/function.hpp"
#include "lower/lowering.hpp"

namespace frazil::engine {

std::vector<lower::Function> generated_functions();
std::vector<const lower::Operator*> generated_operators();

}  // namespace frazil::engine

namespace frazil::functions {
// The loops of functions: of those that only the host can run, and of all others by instruction set.
primitives::cpu::Step host_step_of(const program::Instruction& i);
namespace v2 {
primitives::cpu::Step step_of(const program::Instruction& i);
}
namespace v3 {
primitives::cpu::Step step_of(const program::Instruction& i);
}
namespace v4 {
primitives::cpu::Step step_of(const program::Instruction& i);
}
}  // namespace frazil::functions
