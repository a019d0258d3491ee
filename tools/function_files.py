"""What the files in src/functions say of themselves, read from their text: no build is needed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

STRUCT = re.compile(r"struct (\w+) \{\s*static constexpr FunctionInfo info\{(.*?)\};", re.DOTALL)
STRING = r'"(?:[^"\\]|\\.)*"'
FIELD = re.compile(rf"\.(\w+)\s*=\s*((?:{STRING}\s*)+|\{{[^}}]*\}}|[^,{{}}]+)")


@dataclass(frozen=True)
class FunctionFile:
    """One struct of a function file. `fields` holds the text of each initialiser of its info."""

    path: Path
    struct: str
    fields: dict[str, str]

    @property
    def family(self) -> str:
        """The folder."""
        return self.path.parent.name

    @property
    def name(self) -> str:
        """The function's name; overloads share it."""
        return self.text("name")

    @property
    def polars(self) -> list[str]:
        """Polars' spellings; empty for a step of other functions."""
        return [unquoted(string) for string in re.findall(STRING, self.fields.get("polars", ""))]

    @property
    def shape(self) -> str:
        """The shape, as in src/plan/signature.hpp."""
        return self.fields.get("shape", "Shape::map").strip().removeprefix("Shape::")

    @property
    def has_loop(self) -> bool:
        """Whether it computes rows itself; others are made of such."""
        return re.search(r" (apply|bytes)\(", self.path.read_text()) is not None

    def text(self, field: str) -> str:
        """A field that is a string."""
        return "".join(unquoted(string) for string in re.findall(STRING, self.fields.get(field, "")))


def unquoted(string: str) -> str:
    """The characters of a C++ string."""
    return re.sub(r"\\(.)", r"\1", string[1:-1])


def function_files(root: Path) -> list[FunctionFile]:
    """All functions below `root`/src/functions, by folder and file."""
    return [
        FunctionFile(path, struct, {name: value.strip() for name, value in FIELD.findall(info)})
        for path in sorted(root.glob("src/functions/*/*.hpp"))
        for struct, info in STRUCT.findall(path.read_text())
    ]
