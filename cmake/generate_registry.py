"""Writes the registries of functions and operators from what lies in src/functions and src/operators.

usage: generate_registry.py SRC OUT

OUT gets functions.cpp (what lower knows), functions_isa.cpp (loops, compiled once per instruction set),
device_functions (cases of the CUDA interpreter) and operators.cpp. A file is only written if it changes, so that
nothing is compiled again for nothing.
"""

import re
import sys
from pathlib import Path

STRUCT = re.compile(r"^struct (\w+) \{\n  static constexpr FunctionInfo info", re.MULTILINE)


def write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def member(text: str, struct: str, name: str) -> str:
    return f"functions::{struct}::{name}" if re.search(rf"static [^\n]*\b{name}\(const", text) else "nullptr"


def main(source: Path, out: Path) -> None:
    files = sorted((source / "functions").glob("*/*.hpp"))
    functions = []
    for file in files:
        text = file.read_text()
        found = STRUCT.findall(text)
        if len(found) != 1:
            sys.exit(f"{file}: expected one struct with a FunctionInfo, found {len(found)}")
        functions.append((file.relative_to(source), found[0], text))
    includes = "".join(f'#include "{path}"\n' for path, _, _ in functions)
    rows = "".join(
        f"      {{&functions::{struct}::info, functions::{struct}::accepts, {member(text, struct, 'emit')}, "
        f"{member(text, struct, 'cells')}, {member(text, struct, 'finish')}}},\n"
        for _, struct, text in functions
    )
    write(
        out / "functions.cpp",
        f'#define FZ_HOST\n#include "engine/registry.hpp"\n{includes}\nnamespace frazil::engine {{\n'
        f"std::vector<lower::Function> generated_functions() {{\n  return {{\n{rows}  }};\n}}\n"
        "}  // namespace frazil::engine\n",
    )
    cases = "".join(
        f"    case {number}: return map_step<{struct}>(i);\n"
        for number, (_, struct, text) in enumerate(functions)
        if " apply(" in text
    )
    write(
        out / "functions_isa.cpp",
        f'#include "functions/map_kernel.hpp"\n{includes}\nnamespace frazil::functions::FZ_ISA {{\n'
        "primitives::cpu::Step map_step_of(const Instruction& i);\n"
        f"primitives::cpu::Step map_step_of(const Instruction& i) {{\n  switch (i.function) {{\n{cases}"
        "    default: return nullptr;\n  }\n}\n}  // namespace frazil::functions::FZ_ISA\n",
    )
    device = [(number, struct, text) for number, (_, struct, text) in enumerate(functions) if " apply(" in text]
    write(
        out / "device_functions.inc",
        "#ifdef FZ_FUNCTION\n"
        + "".join(f"FZ_FUNCTION({n}, {struct})\n" for n, struct, text in device if ".to_mask = true" not in text)
        + "#endif\n#ifdef FZ_PREDICATE\n"
        + "".join(f"FZ_PREDICATE({n}, {struct})\n" for n, struct, text in device if ".to_mask = true" in text)
        + "#endif\n",
    )
    write(out / "device_functions.hpp", "#pragma once\n" + includes)
    kinds = sorted(f.parent.name for f in (source / "operators").glob("*/*.cpp") if f.stem == f.parent.name)
    write(
        out / "operators.cpp",
        '#include "engine/registry.hpp"\n\nnamespace frazil::operators {\n'
        + "".join(f"extern const lower::Operator {kind}_operator;\n" for kind in kinds)
        + "}  // namespace frazil::operators\n\nnamespace frazil::engine {\n"
        "std::vector<const lower::Operator*> generated_operators() {\n  return {\n"
        + "".join(f"      &operators::{kind}_operator,\n" for kind in kinds)
        + "  };\n}\n}  // namespace frazil::engine\n",
    )


main(Path(sys.argv[1]), Path(sys.argv[2]))
