"""What the checks of the tree share: its files, their includes, and their text without comments or strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CPP = {".cpp", ".hpp", ".cu", ".cuh"}
LEFT_OUT = {".git", ".venv", ".deps", ".cache", ".device", "build", "dist", "__pycache__"}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
HOST_PART = re.compile(r"^#\s*ifdef FZ_HOST$.*?^#\s*endif", re.MULTILINE | re.DOTALL)


def files(root: Path, folder: str = "", suffixes: set[str] | None = None) -> list[Path]:
    """The files below a folder of the tree, sorted; build products and environments are no part of it."""
    return sorted(path for path in walk(root / folder) if suffixes is None or path.suffix in suffixes)


def walk(folder: Path) -> Iterator[Path]:
    """All files below a folder."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name in LEFT_OUT or path.name.endswith("_cache"):
            continue
        if path.is_dir():
            yield from walk(path)
        else:
            yield path


def includes(text: str) -> list[tuple[str, str]]:
    """The includes of a text: the opening sign, and the name."""
    return INCLUDE.findall(text)


def without_comments(text: str, *, keep_strings: bool) -> str:
    """C++ text without its comments, and without its strings if they are not to be kept."""

    def shorten(found: re.Match[str]) -> str:
        if found[0].startswith("/"):
            return " "
        return found[0] if keep_strings else '""'

    return COMMENT_OR_STRING.sub(shorten, text)


def without_host_part(text: str) -> str:
    """Shared text as a device compiler sees it."""
    return HOST_PART.sub("", text)


def plant(root: Path, texts: dict[str, str]) -> Path:
    """A tree with these files, for a check to find its fault in."""
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
