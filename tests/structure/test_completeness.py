"""Every function and every operator has its tests, its doc and its place in the docs; every tool has its line."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest
from function_files import function_files
from generate_docs import OPERATOR, outdated
from source_tree import ROOT, files, plant

CODE = re.compile(r'(?:refuse|Refused|Reason)\(\s*(?:refusals,\s*)?(?:\w+ \? "(\w+)" : )?"(\w+)",')
PROBLEM = re.compile(r'problems\.push_back\(\{"(\w+)"')  # of files


RECIPES = "python/frazil/polars/tree.py"


def other_makers_of_nodes(root: Path) -> list[str]:
    """Files that make nodes where Recipes do not see it: what is below such a node cannot be replaced later."""
    sources = files(root, "python", {".py"}) + files(root, "src", {".py"})
    places = [str(path.relative_to(root)) for path in sources if "core.node(" in path.read_text()]
    return [place for place in places if place != RECIPES]


def cases_of(path: Path) -> set[str]:
    """The keys of the table CASES of a Python file."""
    for statement in ast.parse(path.read_text()).body if path.exists() else ():
        match statement:
            case ast.AnnAssign(target=ast.Name(id="CASES"), value=ast.Dict(keys=keys)):
                return {str(key.value) for key in keys if isinstance(key, ast.Constant)}
    return set()


def incomplete_functions(root: Path) -> list[str]:
    """What functions lack: a doc, an example, or a case in tests/python/functions."""
    tests = files(root, "tests/python/functions", {".py"})
    cases = {case for path in tests for case in cases_of(path)}
    lacking = []
    for path in files(root, "src/functions", {".hpp"}):
        found = [function for function in function_files(root) if function.path == path]
        if path.parent.name != "functions" and not found:
            lacking.append(f"{path.relative_to(root)}: no function")
        for function in found:
            lacking += [f"{function.name}: no {field}" for field in ("doc", "example") if not function.text(field)]
            if function.polars and function.name not in cases:
                lacking.append(f"{function.name}: no case")
    return lacking


def incomplete_operators(root: Path) -> list[str]:
    """What operators lack: the declaration with a doc, the translation, or a test file."""
    lacking = []
    for folder in sorted((root / "src/operators").iterdir()):
        name = folder.name
        kinds = [kind.strip('"') for path in folder.glob("*.cpp") for kind, _ in OPERATOR.findall(path.read_text())]
        if name not in kinds:
            lacking.append(f"{name}: no operator of its name with a doc")
        if not (folder / "polars.py").exists():
            lacking.append(f"{name}: no polars.py")
        if not (root / f"tests/python/operators/test_{name}.py").exists():
            lacking.append(f"{name}: no tests/python/operators/test_{name}.py")
    return lacking


def codes_used(root: Path) -> set[str]:
    """The codes of reasons that the sources give."""
    texts = [path.read_text() for path in files(root, "src", {".cpp", ".py"}) + files(root, "python", {".py"})]
    found = [code for text in texts for pair in CODE.findall(text) for code in pair if code]
    return {*found, *(code for text in texts for code in PROBLEM.findall(text))}


def unexplained_codes(root: Path) -> list[str]:
    """Codes that the table lacks, and those of the table that nothing gives."""
    table = runpy.run_path(str(root / "python/frazil/reasons.py"))["CODES"]
    return sorted(codes_used(root) ^ set(table))


def unnamed_tools(root: Path) -> list[str]:
    """Tools without a line in the README."""
    readme = (root / "README.md").read_text()
    return [path.name for path in files(root, "tools") if f"`tools/{path.name}`" not in readme]


def test_every_function_is_complete() -> None:
    assert incomplete_functions(ROOT) == []
    assert len(function_files(ROOT)) > 20


def test_every_operator_is_complete() -> None:
    assert incomplete_operators(ROOT) == []


def test_the_generated_docs_are_up_to_date() -> None:
    assert outdated(ROOT) == []


def test_every_code_of_a_reason_is_explained() -> None:
    assert unexplained_codes(ROOT) == []
    assert len(codes_used(ROOT)) > 20


def test_a_planted_code_is_found(tmp_path: Path) -> None:
    table = 'class M:\n    pass\nCODES = {"old": M()}'
    plant(tmp_path, {"python/frazil/reasons.py": table, "src/operators/a/a.cpp": 'checker.refuse("new", "met");'})
    assert unexplained_codes(tmp_path) == ["new", "old"]


def test_nodes_are_made_where_it_is_noted_how() -> None:
    assert other_makers_of_nodes(ROOT) == []


def test_a_planted_maker_of_nodes_is_found(tmp_path: Path) -> None:
    made = "node = core.node('filter', [], {}, {}, [])"
    plant(tmp_path, {RECIPES: made, "src/operators/a/polars.py": made})
    assert other_makers_of_nodes(tmp_path) == ["src/operators/a/polars.py"]


def test_every_tool_has_a_line_in_the_readme() -> None:
    assert unnamed_tools(ROOT) == []


GCD = 'struct gcd {{ static constexpr FunctionInfo info{{.name = "gcd", .polars = {{"function.gcd"}}, {}}}; }};'
WHOLE = GCD.format('.doc = "Greatest divisor.", .example = "gcd(4, 6) = 2"')
GCD_CASES = 'CASES: dict[str, list[int]] = {"gcd": []}'


@pytest.mark.parametrize(
    ("function", "cases", "found"),
    [
        (WHOLE, GCD_CASES, []),
        (WHOLE, "", ["gcd: no case"]),
        (WHOLE, 'CASES: dict[str, list[int]] = {"lcm": []}', ["gcd: no case"]),
        (GCD.format('.example = "gcd(4, 6) = 2"'), GCD_CASES, ["gcd: no doc"]),
        (GCD.format('.doc = "Greatest divisor."'), GCD_CASES, ["gcd: no example"]),
        ("", GCD_CASES, ["src/functions/math/gcd.hpp: no function"]),
    ],
)
def test_a_planted_function_is_found(tmp_path: Path, function: str, cases: str, found: list[str]) -> None:
    plant(tmp_path, {"src/functions/math/gcd.hpp": function, "tests/python/functions/test_math.py": cases})
    assert incomplete_functions(tmp_path) == found


def test_a_planted_operator_is_found(tmp_path: Path) -> None:
    whole = {
        "src/operators/top/top.cpp": 'const lower::Operator top_operator{"top", "First rows.", check, lower_top};',
        "src/operators/top/polars.py": "",
        "tests/python/operators/test_top.py": "",
    }
    assert incomplete_operators(plant(tmp_path, whole)) == []
    for name in whole:
        (tmp_path / name).rename(tmp_path / "away")
        assert len(incomplete_operators(tmp_path)) == 1
        (tmp_path / "away").rename(tmp_path / name)


def test_a_planted_tool_and_an_old_page_are_found(tmp_path: Path) -> None:
    plant(tmp_path, {"README.md": "`tools/a.py`", "tools/a.py": "", "tools/b.py": "", "docs/functions.md": "old"})
    assert unnamed_tools(tmp_path) == ["b.py"]
    assert [path.name for path in outdated(tmp_path)] == ["functions.md", "operators.md", "reasons.md"]
