"""Names and words that the tree does without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from source_tree import CPP, ROOT, files, plant, without_comments

SAYS_NOTHING = re.compile(r"(^|[_/.])(utils?|utilities|helpers?|common|misc|managers?)([_/.]|$)", re.IGNORECASE)
EMPTY_TYPE = re.compile(r"\b(?:class|struct|namespace)\s+(\w*(?:Utils?|Helpers?|Manager|utils?|helpers?|misc))\b")
BANNED = {
    r"\bprintf\(": CPP,
    r"\bstd::cout\b": CPP,
    r"\bTODO\b|\bFIXME\b|\bXXX\b": CPP | {".py"},
    "/" + "work/": None,  # a folder of one machine; None: in every text file
}
IN_HEADERS = re.compile(r"\busing namespace\b")


def empty_names(root: Path) -> list[str]:
    """Names of files, folders and types that say nothing."""
    names = [str(path.relative_to(root)) for path in files(root)]
    types = [found for path in files(root, "src", CPP) for found in EMPTY_TYPE.findall(path.read_text())]
    return [name for name in names if SAYS_NOTHING.search(name)] + types


def banned_words(root: Path) -> list[str]:
    """Places of banned words."""
    found = []
    for path in files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        code = without_comments(text, keep_strings=True) if path.suffix in CPP else text
        words = [word for word, suffixes in BANNED.items() if suffixes is None or path.suffix in suffixes]
        found += [f"{path.relative_to(root)}: {word}" for word in words if re.search(word, code)]
        if path.suffix in {".hpp", ".cuh"} and IN_HEADERS.search(code):
            found.append(f"{path.relative_to(root)}: using namespace")
    return [place for place in found if not place.startswith("tests/structure/test_words.py")]


def test_names_say_something() -> None:
    assert empty_names(ROOT) == []


def test_there_are_no_banned_words() -> None:
    assert banned_words(ROOT) == []


@pytest.mark.parametrize(
    "name", ["src/base/utils.hpp", "src/common/a.hpp", "python/frazil/join_helper.py", "tools/misc.py"]
)
def test_a_planted_name_is_found(tmp_path: Path, name: str) -> None:
    assert empty_names(plant(tmp_path, {name: ""}))


def test_a_planted_type_is_found(tmp_path: Path) -> None:
    assert empty_names(plant(tmp_path, {"src/base/a.hpp": "class PoolManager {};"}))


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("src/base/a.hpp", "using namespace std;", True),
        ("src/base/a.cpp", 'printf("%d", 1);', True),
        ("docs/a.md", "see /" + "work/x", True),
        ("src/base/a.cpp", "using namespace std;", False),
        ("src/base/a.cpp", "std::snprintf(b, 1, c);", False),
    ],
)
def test_a_planted_word_is_found(tmp_path: Path, file: str, text: str, found: bool) -> None:
    assert bool(banned_words(plant(tmp_path, {file: text}))) is found
