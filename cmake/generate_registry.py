"""Writes the registries of functions and operators from what lies in src/functions and src/operators.

usage: generate_registry.py SRC OUT

OUT gets for each family FAMILY.cpp (what lower knows, and the loops of functions that only the host can run) and
FAMILY_isa.cpp (all other loops, compiled once per instruction set), functions.cpp and functions_isa.cpp that join
them, device_functions (cases of the CUDA interpreter) and operators.cpp. A file is only written if it changes, so that
nothing is compiled again for nothing.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

STRUCT = re.compile(r"^struct (\w+) \{\n  static constexpr FunctionInfo info", re.MULTILINE)
SHAPE = re.compile(r"\.shape = Shape::(\w+)")
MEMBERS = ("accepts", "emit", "cells", "finish", "segments")  # as in lower::Function


@dataclass(frozen=True)
class Function:
    """A function file: where it lies, its struct, and its number in all tables."""

    path: Path
    struct: str
    number: int
    text: str

    @property
    def family(self) -> str:
        """The folder."""
        return self.path.parent.name

    @property
    def shape(self) -> str:
        """The shape; functions that say none are maps."""
        found = SHAPE.search(self.text)
        return found[1] if found else "map"

    @property
    def has_loop(self) -> bool:
        """Whether the function computes rows itself; others are made of such."""
        return " apply(" in self.text or " bytes(" in self.text

    def member(self, name: str) -> str:
        """A function of the struct for the host's table, or null."""
        has = re.search(rf"static [^\n]*\b{name}\(const", self.text)
        return f"functions::{self.struct}::{name}" if has else "nullptr"


def read(source: Path) -> list[Function]:
    """All function files below SRC, in the order of their numbers."""
    functions = []
    for number, file in enumerate(sorted((source / "functions").glob("*/*.hpp"))):
        text = file.read_text()
        found = STRUCT.findall(text)
        if len(found) != 1:
            sys.exit(f"{file}: expected one struct with a FunctionInfo, found {len(found)}")
        functions.append(Function(file.relative_to(source), found[0], number, text))
    return functions


def includes(functions: list[Function]) -> str:
    return "".join(f'#include "{function.path}"\n' for function in functions)


def lookup(name: str, functions: list[Function]) -> str:
    """A C++ function that finds the loop of an instruction."""
    head = f"primitives::cpu::Step {name}(const Instruction& i)"
    cases = "".join(f"    case {f.number}: return {f.shape}_step<{f.struct}>(i);\n" for f in functions)
    return f"{head};\n{head} {{\n  switch (i.function) {{\n{cases}    default: return nullptr;\n  }}\n}}\n"


def joined_lookup(name: str, parts: list[str]) -> str:
    """A C++ function that asks several others for the loop of an instruction."""
    head = f"primitives::cpu::Step {name}(const Instruction& i)"
    declared = "".join(f"primitives::cpu::Step {part}(const Instruction& i);\n" for part in parts)
    asked = "".join(f"  if (primitives::cpu::Step step = {part}(i)) return step;\n" for part in parts)
    return f"{declared}{head};\n{head} {{\n{asked}  return nullptr;\n}}\n"


def write_family(out: Path, family: str, functions: list[Function]) -> None:
    rows = "".join(
        f"  all.push_back({{&functions::{function.struct}::info, {', '.join(map(function.member, MEMBERS))}}});\n"
        for function in functions
    )
    loops = [function for function in functions if function.has_loop]
    write(
        out / f"{family}.cpp",
        '#define FZ_HOST\n#include "engine/registry.hpp"\n#include "functions/host_kernel.hpp"\n'
        f"{includes(functions)}\n"
        f"namespace frazil::engine {{\nvoid add_{family}(std::vector<lower::Function>& all);\n"
        f"void add_{family}(std::vector<lower::Function>& all) {{\n{rows}}}\n}}  // namespace frazil::engine\n\n"
        "namespace frazil::functions {\n"
        + lookup(f"host_loop_of_{family}", [function for function in loops if function.shape == "host"])
        + "}  // namespace frazil::functions\n",
    )
    write(
        out / f"{family}_isa.cpp",
        f'#include "functions/call_kernel.hpp"\n{includes(functions)}\nnamespace frazil::functions::FZ_ISA {{\n'
        + lookup(f"loop_of_{family}", [function for function in loops if function.shape in ("map", "view", "string")])
        + "}  // namespace frazil::functions::FZ_ISA\n",
    )


def write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(source: Path, out: Path) -> None:
    functions = read(source)
    families = sorted({function.family for function in functions})
    for family in families:
        write_family(out, family, [function for function in functions if function.family == family])
    write(
        out / "functions.cpp",
        '#include "engine/registry.hpp"\n\nnamespace frazil::engine {\n'
        + "".join(f"void add_{family}(std::vector<lower::Function>& all);\n" for family in families)
        + "std::vector<lower::Function> generated_functions() {\n  std::vector<lower::Function> all;\n"
        + "".join(f"  add_{family}(all);\n" for family in families)
        + "  return all;\n}\n}  // namespace frazil::engine\n\n"
        "namespace frazil::functions {\nusing program::Instruction;\n"
        + joined_lookup("host_step_of", [f"host_loop_of_{family}" for family in families])
        + "}  // namespace frazil::functions\n",
    )
    write(
        out / "functions_isa.cpp",
        '#include "functions/map_kernel.hpp"\n\nnamespace frazil::functions::FZ_ISA {\n'
        + joined_lookup("step_of", [f"loop_of_{family}" for family in families])
        + "}  // namespace frazil::functions::FZ_ISA\n",
    )
    loops = [function for function in functions if function.has_loop]
    maps = [function for function in loops if function.shape == "map"]
    cases = {
        "FZ_FUNCTION": [f for f in maps if ".to_mask = true" not in f.text],
        "FZ_PREDICATE": [f for f in maps if ".to_mask = true" in f.text],
        "FZ_VIEW": [f for f in loops if f.shape == "view"],
        "FZ_STRING": [f for f in loops if f.shape == "string"],
    }
    write(
        out / "device_functions.inc",
        "".join(
            f"#ifdef {macro}\n" + "".join(f"{macro}({f.number}, {f.struct})\n" for f in listed) + "#endif\n"
            for macro, listed in cases.items()
        ),
    )
    write(out / "device_functions.hpp", "#pragma once\n" + includes(functions))
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
