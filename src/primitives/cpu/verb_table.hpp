// How an instruction becomes a function: one lookup per instruction set, null for what a verb does not know.
#pragma once

#include "primitives/cpu/tile.hpp"

namespace frazil::primitives::cpu {

using VerbLookup = Step (*)(const Instruction&);

namespace v2 {
Step verb(const Instruction& i);
}
namespace v3 {
Step verb(const Instruction& i);
}
namespace v4 {
Step verb(const Instruction& i);
}

}  // namespace frazil::primitives::cpu
