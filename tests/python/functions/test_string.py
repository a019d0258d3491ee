"""Functions of the family string: over the dtypes that they take, with nulls, extremes and empty frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import polars as pl
import pytest
from cases import Case, Cases, assert_agree, parameters
from oracle import assert_agreement
from polars import col
from samples import LONG, pairs


def heads() -> Iterator[Case]:
    counts = [0, 1, 3, 12, 100, -1, -3, -100]
    yield "literals", pairs(pl.String), [col("a").str.head(count) for count in counts]
    for dtype in (pl.Int8, pl.Int64, pl.UInt32):
        yield f"{dtype}", pairs(pl.String, dtype), [col("a").str.head(col("b"))]


def concatenations() -> Iterator[Case]:
    three = [
        pl.concat_str("a", "b", "a", separator=separator, ignore_nulls=ignore_nulls)
        for separator in ("", "-", LONG)
        for ignore_nulls in (False, True)
    ]
    one = pl.concat_str("a", ignore_nulls=True)
    yield "String", pairs(pl.String), [*three, one, col("a") + col("b"), pl.concat_str("a", pl.lit("ä"), "b")]


PARTS = ["", "a", "aa", "te", "es", "byte", "ä", "語", "\x00", LONG]


def parts_of_texts(*operations: Callable[[pl.Expr, Any], pl.Expr]) -> Iterator[Case]:
    expressions = [operation(col("a"), part) for operation in operations for part in PARTS]
    yield "literals", pairs(pl.String), expressions
    yield "columns", pairs(pl.String), [operation(col("a"), col("b")) for operation in operations]


PATTERNS = [
    "",
    "a",
    "^a",
    "e$",
    "a.b",
    "t.*e",
    "x.*y",
    ".*y",
    "B.*",
    "byte",
    "日.*語",
    "x.*y.*",
    "[a-t]{5}",
    "[^a-z ]",
    r"\d",
    r"\D",
    r"\w+",
    r"^\w+$",
    r"\W",
    r"\s",
    r"\S$",
    r"^[\w\s-]+$",
    "(?i)TWELVE",
    "(?i:Ä)",
    "(?:twelve|thirteen) byte",
    "(?P<name>by)te",
    "(?<name>by)te",
    r"\x{e4}|\u{65e5}",
    r"\u65e5",
    r"\p{Lu}",
    r"\pL{4}",
    r"\P{L}",
    "[[:alpha:]]+ [[:alpha:]]+",
    r"\Aaa?\z",
    "a??",
    "(a|b)*",
    "日.?語",
    "(?s)a.*",
    "(?m)^B$",
    r"[\d\s.]",
    r"\.|\*",
]


LETTERS = pl.DataFrame(
    {
        "a": [
            "",
            "abc",
            "a1",
            "٣",
            "é",
            "\u2003",
            "x\ny",
            "x\nx y\ny",
            "B\n",
            "日本語",
            "A-b_c",
            "a.b",
            "Ⅷ",
            "ⓐ",
            "İ",
            "ß",
        ],
        "b": 0,
    }
)


def patterns() -> Iterator[Case]:
    matches = [col("a").str.contains(pattern) for pattern in PATTERNS]
    yield "texts", pairs(pl.String)[::12], matches
    yield "letters", LETTERS, matches


def slices_of_texts() -> Iterator[Case]:
    some = [(0, 2), (1, None), (2, 0), (-3, 2), (-100, 98), (-100, None), (5, 100), (100, 1), (0, 0), (-1, 1)]
    yield "literals", pairs(pl.String), [col("a").str.slice(offset, length) for offset, length in some]
    for dtype in (pl.Int8, pl.Int64):
        yield f"{dtype}", pairs(pl.String, dtype), [col("a").str.slice(col("b")), col("a").str.slice(col("b"), 3)]
    negative = pl.DataFrame({"a": ["ab", None, "c"], "b": [0, 1, -1], "c": [0, None, 1]})
    yield "negative lengths", negative, [col("a").str.slice(0, col("b"))]
    yield "no lengths", negative, [col("a").str.slice(0, col("c"))]


def tails() -> Iterator[Case]:
    counts = [0, 1, 3, 12, 100, -1, -3, -100]
    yield "literals", pairs(pl.String), [col("a").str.tail(count) for count in counts]
    yield "Int64", pairs(pl.String, pl.Int64), [col("a").str.tail(col("b"))]


SPACES = pl.DataFrame({"a": [" a ", "\t\n", "\u00a0ä\u2003", "\u3000", "aXa", "ääöä", "日本", "\u200b", ""], "b": "a"})


def texts_of(*expressions: pl.Expr) -> Iterator[Case]:
    """Expressions on texts with characters of all sizes, and with spaces of all kinds."""
    yield "String", pairs(pl.String), list(expressions)
    yield "spaces", SPACES, list(expressions)


def cases_of_letters(change: Callable[[pl.Expr], pl.Expr]) -> Iterator[Case]:
    yield from texts_of(change(col("a")))
    every = [chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000] + [
        chr(c) for c in range(0x1E900, 0x1E950)
    ]
    lines = ["".join(every[at : at + 40]) for at in range(0, len(every), 40)]
    yield "letters", pl.DataFrame({"a": lines, "b": 0}), [change(col("a"))]
    words = ["ΛΔΣ", "ΛΔΣ.", "ΛΣ Δ", "ΛΣΔ", "Σ", "1Σ", "ΛΣ\u0301", "Λ\u0301Σ", "Λ.Σ", "ΣΣ", "A\u02bc:Σ", "A" * 16 + "Σ"]
    words += ["A" * 15 + "ΣB", "A" * 17 + "Σ" + "B" * 16, "straße ŉ ǰ ﬃ İI", "Ǆ ǅ ǆ", "𐐀𐐨"]
    yield "words", pl.DataFrame({"a": words, "b": 0}), [change(col("a"))]


def strips(strip: Callable[..., pl.Expr]) -> Iterator[Case]:
    some = ["a", "ä", "äö", "", " b", "日", "tes"]
    yield from texts_of(
        strip(col("a")), *(strip(col("a"), characters) for characters in some), strip(col("a"), col("b"))
    )


def replacements() -> Iterator[Case]:
    expressions = []
    for part, other in [("a", "ß"), ("a", ""), ("", "-"), ("ä", LONG), ("aa", "a"), ("日本", "x")]:
        expressions.append(col("a").str.replace(part, other))
        expressions.append(col("a").str.replace_all(part, other))
        expressions += [col("a").str.replace(part, other, literal=True, n=n) for n in (0, 1, 2, 5)]
    expressions += [col("a").str.replace_all("te", "$0", literal=True)]
    expressions += [col("a").str.replace_all(".", "x", literal=True), col("a").str.replace("(", "x", literal=True)]
    yield from texts_of(*expressions)


def paddings(pad: Callable[..., pl.Expr]) -> Iterator[Case]:
    lengths = [0, 1, 3, 14, 40]
    yield from texts_of(*(pad(col("a").str, length) for length in lengths))
    numbers = pl.DataFrame({"a": ["-1", "+1", "-", "", "12", "-123456789012345", "-ä"], "b": pl.Series([5] * 7)})
    yield "numbers", numbers, [pad(col("a").str, length) for length in [*lengths, col("b")]]


CASES: dict[str, Cases] = {
    "len_bytes": lambda: texts_of(col("a").str.len_bytes(), col("a").str.len_bytes() * 2 - 1),
    "len_chars": lambda: texts_of(col("a").str.len_chars()),
    "count_matches": partial(parts_of_texts, lambda a, part: a.str.count_matches(part, literal=True)),
    "find": partial(parts_of_texts, lambda a, part: a.str.find(part, literal=True)),
    "to_lowercase": partial(cases_of_letters, lambda a: a.str.to_lowercase()),
    "to_uppercase": partial(cases_of_letters, lambda a: a.str.to_uppercase()),
    "strip_prefix": partial(parts_of_texts, lambda a, part: a.str.strip_prefix(part)),
    "strip_suffix": partial(parts_of_texts, lambda a, part: a.str.strip_suffix(part)),
    "strip_chars": partial(strips, lambda a, *some: a.str.strip_chars(*some)),
    "strip_chars_start": partial(strips, lambda a, *some: a.str.strip_chars_start(*some)),
    "strip_chars_end": partial(strips, lambda a, *some: a.str.strip_chars_end(*some)),
    "contains_any": lambda: texts_of(
        *(col("a").str.contains_any(some) for some in ([], ["a"], ["", "x"], ["ä", "語"]))
    ),
    "replace": replacements,
    "pad_start": lambda: chain(paddings(lambda a, n: a.pad_start(n)), paddings(lambda a, n: a.pad_start(n, "ä"))),
    "pad_end": lambda: chain(paddings(lambda a, n: a.pad_end(n)), paddings(lambda a, n: a.pad_end(n, "ä"))),
    "zfill": partial(paddings, lambda a, n: a.zfill(n)),
    "starts_with": partial(parts_of_texts, lambda a, part: a.str.starts_with(part)),
    "ends_with": partial(parts_of_texts, lambda a, part: a.str.ends_with(part)),
    "contains": lambda: chain(parts_of_texts(lambda a, part: a.str.contains(part, literal=True)), patterns()),
    "str_slice": slices_of_texts,
    "str_tail": tails,
    "str_head": heads,
    "concat_str": concatenations,
}


@pytest.mark.parametrize(("frame", "expressions"), parameters(CASES))
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    assert_agree(device, frame, expressions)


def test_equal_functions_of_a_column_with_other_patterns_are_told_apart(device: str) -> None:
    a = col("a").str
    patterns = {f"x{i}": a.contains(pattern) for i, pattern in enumerate(["^a", "e$", "[0-9]", "^a"])}
    assert_agreement(pl.LazyFrame({"a": ["apple", "a1", "be", None, ""]}).select(**patterns), device)
