"""Each header compiles by itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from source_tree import ROOT, files, plant

HEADERS = [str(path.relative_to(ROOT / "src")) for path in files(ROOT, "src", {".hpp"}) if "/cuda/" not in str(path)]


def errors(root: Path, header: str) -> str:
    """What g++ says of a unit that includes nothing but the header."""
    command = [
        "g++",
        "-std=gnu++20",
        "-DFZ_HOST",
        "-fsyntax-only",
        "-Isrc",
        "-include",
        header,
        "-x",
        "c++",
        "/dev/null",
    ]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_compiles_alone(header: str) -> None:
    assert errors(ROOT, header) == ""


def test_a_planted_header_without_its_includes_is_found(tmp_path: Path) -> None:
    assert "string" in errors(plant(tmp_path, {"src/base/a.hpp": "std::string text();"}), "base/a.hpp")
