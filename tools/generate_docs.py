"""Writes docs/functions.md, docs/operators.md and docs/reasons.md from what the sources say of themselves.

python tools/generate_docs.py [--check]      --check: write nothing, and fail if a page is not up to date
"""

from __future__ import annotations

import re
import runpy
import sys
from argparse import ArgumentParser
from itertools import groupby
from pathlib import Path

from function_files import STRING, function_files, unquoted

ROOT = Path(__file__).resolve().parent.parent
OPERATOR = re.compile(rf"const lower::Operator \w+\{{\s*({STRING}),\s*((?:{STRING}\s*)+),")
NODES = re.compile(r"^NODES = \((.*?)\)", re.MULTILINE | re.DOTALL)
NOTE = "<!-- Written by tools/generate_docs.py; the texts are those of the source files. -->"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def code(text: str) -> str:
    """Text as code, nothing as nothing."""
    return f"`{text}`" if text else ""


def functions_page(root: Path) -> str:
    """The page of functions, a table for each family."""
    parts = []
    for family, group in groupby(function_files(root), key=lambda function: function.family):
        rows = [
            [
                f"[{code(function.name)}](../{function.path.relative_to(root)})",
                ", ".join(map(code, function.polars)) or "(a step of others)",
                function.shape,
                " ".join([function.text("doc"), *(["May raise."] if "may_fail" in function.fields else [])]),
                code(function.text("example")),
            ]
            for function in group
        ]
        parts.append(f"## {family}\n\n{table(['function', 'Polars', 'shape', 'what it gives', 'example'], rows)}")
    head = (
        f"# Functions\n\n{NOTE}\n\n"
        "A name may stand for several functions: the dtypes of a call decide. Polars' spellings are those of its plan; "
        "the shapes are told in `src/plan/signature.hpp`.\n\n"
    )
    return head + "\n".join(parts)


def operators_page(root: Path) -> str:
    """The page of operators."""
    rows = []
    for folder in sorted(path for path in root.glob("src/operators/*") if path.is_dir()):
        for kind, doc in re.findall(OPERATOR, "".join(path.read_text() for path in sorted(folder.glob("*.cpp")))):
            translation = folder / "polars.py"
            found = NODES.search(translation.read_text()) if translation.exists() else None
            nodes = re.findall(r'"(.*?)"', found[1]) if found else []
            text = "".join(unquoted(string) for string in re.findall(STRING, doc))
            name = unquoted(kind)
            rows.append([f"[{code(name)}](../src/operators/{folder.name})", ", ".join(map(code, nodes)), text])
    return f"# Operators\n\n{NOTE}\n\n" + table(["operator", "Polars' nodes", "what it gives"], rows)


def reasons_page(root: Path) -> str:
    """The page of the codes by which Frazil says why it leaves something to Polars."""
    source = root / "python/frazil/reasons.py"
    codes = runpy.run_path(str(source))["CODES"] if source.exists() else {}
    rows = [[code(name), meaning.met, meaning.advice] for name, meaning in sorted(codes.items())]
    head = (
        f"# Reasons\n\n{NOTE}\n\n"
        "For each part of a query that Frazil does not run, `engine.explain(query)`, `engine.last_report.reasons` and "
        "`UnsupportedError.reasons` give one of these codes, the plan node, the column and a message.\n\n"
    )
    return head + table(["code", "what was met", "what to change"], rows)


def pages(root: Path) -> dict[Path, str]:
    """The generated pages and their texts."""
    return {
        root / "docs/functions.md": functions_page(root),
        root / "docs/operators.md": operators_page(root),
        root / "docs/reasons.md": reasons_page(root),
    }


def outdated(root: Path) -> list[Path]:
    """The pages whose text is not what it should be."""
    return [path for path, text in pages(root).items() if not path.exists() or path.read_text() != text]


def main() -> None:
    """Write the pages, or check them."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is not up to date")
    if parser.parse_args().check:
        old = outdated(ROOT)
        sys.exit(f"not up to date, run tools/generate_docs.py: {', '.join(map(str, old))}" if old else 0)
    for path, text in pages(ROOT).items():
        path.write_text(text)


if __name__ == "__main__":
    main()
