"""Writes src/lower/case_tables.inc: how letters change their case, as Polars changes it.

Polars' own functions are asked for every character, so that the version of Unicode is theirs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

OUT = Path(__file__).resolve().parent.parent / "src/lower/case_tables.inc"
EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
FINAL = "\u03c2"  # what a capital sigma becomes at the end of a word


def lowered(texts: Iterable[str]) -> list[str]:
    return pl.Series(list(texts)).str.to_lowercase().to_list()


def raised(texts: Iterable[str]) -> list[str]:
    return pl.Series(list(texts)).str.to_uppercase().to_list()


def runs(pairs: list[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """First, last, step and difference of characters that change alike."""
    at = 0
    while at < len(pairs):
        code, to = pairs[at]
        best = at
        step = 1
        for candidate in (1, 2):
            end = at
            while (
                end + 1 < len(pairs)
                and pairs[end + 1][0] == pairs[end][0] + candidate
                and (pairs[end + 1][1] - pairs[end + 1][0] == to - code)
            ):
                end += 1
            if end > best:
                best, step = end, candidate
        yield code, pairs[best][0], step, to - code
        at = best + 1


def changes(name: str, results: list[str]) -> Iterator[str]:
    """The tables of one direction: characters that become one, and those that become several."""
    changed = [(before, after) for before, after in zip(EVERY, results, strict=True) if before != after]
    single = [(ord(before), ord(after)) for before, after in changed if len(after) == 1]
    yield f"constexpr CaseRun k{name}[] = {{"
    yield from (f"    {{{first:#x}, {last:#x}, {step}, {delta}}}," for first, last, step, delta in runs(single))
    yield "};"
    yield f"constexpr CaseText k{name}Texts[] = {{"
    for before, after in changed:
        if len(after) > 1:
            codes = [ord(character) for character in after] + [0] * (3 - len(after))
            yield f"    {{{ord(before):#x}, {{{', '.join(map(hex, codes))}}}}},"
    yield "};"


def ranges(name: str, codes: list[int]) -> Iterator[str]:
    yield f"constexpr CaseRun k{name}[] = {{"
    yield from (f"    {{{first:#x}, {last:#x}, {step}, 0}}," for first, last, step, _ in runs([(c, c) for c in codes]))
    yield "};"


def main() -> None:
    """Write the tables."""
    # A capital sigma is at the end of a word where a letter comes before it, whatever is ignored between them.
    behind = [text[-1] == FINAL for text in lowered(character + "\u03a3" for character in EVERY)]
    beyond = [text[-1] == FINAL for text in lowered("A" + character + "\u03a3" for character in EVERY)]
    cased = [ord(character) for character, is_cased in zip(EVERY, behind, strict=True) if is_cased]
    ignored = [ord(c) for c, near, far in zip(EVERY, behind, beyond, strict=True) if far and not near]
    lines = [
        "// Written by tools/generate_case.py.",
        *changes("Lower", lowered(EVERY)),
        *changes("Upper", raised(EVERY)),
        *ranges("Cased", cased),
        *ranges("Ignored", ignored),
    ]
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
