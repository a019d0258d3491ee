"""The cases: small queries, each from a report of what an engine once did wrong. They lie outside of the repository, in
the folder that FRAZIL_CASES names, and are run in a process of their own, which has other options."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

REFUSED = Path(__file__).with_name("strict_refusals.txt")  # a case, a tab, and the codes of its reasons
CASES = os.environ.get("FRAZIL_CASES", "")
pytestmark = pytest.mark.skipif(not CASES, reason="FRAZIL_CASES names no folder of cases")


def failures(results: Path, *options: str) -> dict[str, str]:
    """What the failed cases say, by case."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={results}", *options, CASES]
    run = subprocess.run(command, capture_output=True, text=True, cwd=results.parent)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    found = {}
    for case in ElementTree.parse(results).iter("testcase"):
        for failure in [*case.iter("failure"), *case.iter("error")]:
            module = case.get("classname", "").rpartition(".")[2]
            found[f"{module}.py::{case.get('name')}"] = failure.get("message", "")
    return found


def test_all_cases_pass(device: str, tmp_path: Path) -> None:
    engine = "frazil-cpu" if device == "cpu" else "frazil-cuda"
    assert failures(tmp_path / "results.xml", f"--engine={engine}") == {}


def test_a_strict_engine_refuses_no_more_cases(tmp_path: Path) -> None:
    found = failures(tmp_path / "results.xml", "--engine=frazil-cpu", "--engine-option=strict=True")
    wrong = {case: text for case, text in found.items() if not text.startswith("frazil.report.UnsupportedError")}
    assert wrong == {}, "these are no refusals"
    refused = {case: codes_of(text) for case, text in found.items()}
    known = dict(line.split("\t") for line in REFUSED.read_text().splitlines())
    more = [f"{case}\t{codes}" for case, codes in refused.items() if known.get(case) != codes]
    assert more == [], f"refused now, or for other reasons than {REFUSED.name} says"
    assert sorted(known.keys() - refused.keys()) == [], f"no longer refused: take their lines out of {REFUSED.name}"


def codes_of(text: str) -> str:
    """The codes of the reasons that a refusal names."""
    return ",".join(sorted(set(re.findall(r"\[(\w+)\]$", text, re.MULTILINE))))
