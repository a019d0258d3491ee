"""Every function against Polars: over the dtypes that it takes, with nulls, NaN, extremes and empty frames.

A function without a case in CASES is found by the checks of tests/structure.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Any

import polars as pl
import pytest
from oracle import assert_agreement, outcome
from polars import col
from samples import ALL, DECIMALS, FLOATS, LONG, NUMBERS, SIGNED, TIMES, WHOLES, interesting, pairs, variants

import frazil

Case = tuple[str, pl.DataFrame, list[pl.Expr]]
Cases = Callable[[], Iterator[Case]]
Binary = Callable[[pl.Expr, pl.Expr], pl.Expr]


def literals(dtype: Any) -> list[pl.Expr]:
    """The lowest and the highest value as literals; none of Time, whose literals reach no engine as they are."""
    return [] if dtype == pl.Time else [pl.lit(interesting(dtype)[index], dtype) for index in (0, -1)]


def of_pairs(dtypes: list[Any], *operations: Binary) -> Iterator[Case]:
    """Operations on two columns of a dtype, and on a column and a literal."""
    for dtype in dtypes:
        expressions = []
        for operation in operations:
            expressions.append(operation(col("a"), col("b")))
            for value in literals(dtype):
                expressions += [operation(col("a"), value), operation(value, col("b"))]
        yield str(dtype), pairs(dtype), expressions


def of_mixed(dtypes: list[tuple[Any, Any]], *operations: Binary) -> Iterator[Case]:
    """Operations on columns of two dtypes."""
    for first, second in dtypes:
        yield f"{first} and {second}", pairs(first, second), [f(col("a"), col("b")) for f in operations]


MIXED_NUMBERS = [(pl.Int8, pl.Int64), (pl.UInt8, pl.Int16), (pl.Int32, pl.Float64), (pl.Float32, pl.Float64)]
MIXED_DECIMALS = [(pl.Decimal(15, 2), pl.Decimal(38, 6)), (pl.Decimal(38, 0), pl.Decimal(15, 2))]


def arithmetic(operation: Binary) -> Iterator[Case]:
    yield from of_pairs([*WHOLES, *FLOATS, *DECIMALS], operation)
    yield from of_mixed([*MIXED_NUMBERS, *MIXED_DECIMALS], operation)
    money = pl.DataFrame({"a": ["9" * 38, "1" + "0" * 37, "5", "-" + "9" * 38]}).select(
        col("a").cast(pl.Decimal(38, 0))
    )
    for rows in (money, money[1:3], money[2:3]):  # some overflow, and some do not
        yield (
            "Decimal(38, 0), large",
            rows,
            [operation(col("a"), col("a")), operation(col("a"), pl.lit(Decimal("1.5")))],
        )
    halves = pl.DataFrame({"a": [f"{n}.5" for n in range(-6, 7)]}).select(col("a").cast(pl.Decimal(10, 1)))
    yield "Decimal(10, 1), halves", halves, [operation(col("a"), pl.lit(Decimal("0.5"))), operation(col("a"), col("a"))]


def comparison(operation: Binary) -> Iterator[Case]:
    yield from of_pairs(ALL, operation)
    yield from of_mixed([*MIXED_NUMBERS, *MIXED_DECIMALS, (pl.Int64, pl.Float64)], operation)


def betweens() -> Iterator[Case]:
    for dtype in ALL:
        low, high = literals(dtype) or (col("b"), col("a"))
        expressions = [
            col("a").is_between(low_side, high_side, closed=closed)
            for closed in ("both", "left", "right", "none")
            for low_side, high_side in ((low, high), (col("b"), high), (high, low), (low, col("b")))
        ]
        yield str(dtype), pairs(dtype), expressions


def memberships() -> Iterator[Case]:
    for dtype in LISTED:
        values = interesting(dtype)
        yield str(dtype), pairs(dtype), [col("a").is_in(some) for some in (values[:1], values[1:4], values)]
    for dtype in (pl.String, pl.Int64, pl.Boolean):
        values = interesting(dtype)
        yield (
            f"{dtype} and null",
            pairs(dtype),
            [col("a").is_in(some) for some in ([None], [values[0], None], values[1:2])],
        )
    for dtype in (pl.UInt64, pl.Int128):  # of lists of literals 64 bits reach the engine
        yield str(dtype), pairs(dtype), [col("a").is_in(some) for some in ([0], [7, 2**63 - 1])]


NARROW_WHOLES = [dtype for dtype in WHOLES if dtype not in (pl.UInt64, pl.Int128)]
LISTED: list[Any] = [*NARROW_WHOLES, *FLOATS, *DECIMALS, pl.String, pl.Date, pl.Datetime("us")]
LARGE: list[Any] = [pl.UInt32, pl.UInt64, pl.Int64, pl.Int128]


def casts() -> Iterator[Case]:
    source: Any
    for source in SIGNED:
        wider = SIGNED[SIGNED.index(source) :]
        yield str(source), pairs(source), [col("a").cast(to) for to in [*wider, *FLOATS]]
    for source in (pl.UInt8, pl.UInt16, pl.UInt32):
        yield str(source), pairs(source), [col("a").cast(to) for to in [*LARGE, *FLOATS]]
    yield "UInt64", pairs(pl.UInt64), [col("a").cast(to) for to in (pl.Int128, *FLOATS)]
    yield "Float32", pairs(pl.Float32), [col("a").cast(pl.Float64)]
    for source in (pl.Int16, pl.Int64, pl.UInt64):
        yield f"{source} to decimals", pairs(source), [col("a").cast(pl.Decimal(38, scale)) for scale in (0, 2, 10)]
        yield f"{source}, too large", pairs(source), [col("a").cast(pl.Decimal(38, 30))]
    for source in DECIMALS:
        yield str(source), pairs(source), [col("a").cast(pl.Decimal(38, scale)) for scale in (source.scale, 9)]


def texts() -> Iterator[Case]:
    for source in WHOLES:
        yield f"{source} to String", pairs(source), [col("a").cast(pl.String)]


WRITTEN = [
    "1",
    "+1",
    "-1",
    " 1",
    "1 ",
    "",
    "1.5",
    "1e3",
    "1_000",
    "00012",
    "9223372036854775807",
    "9223372036854775808",
]
WRITTEN += ["-9223372036854775808", "-9223372036854775809", "٣", "0x10", "NaN", "inf", "-inf", "Infinity", "1.", ".5"]
WRITTEN += [
    "1e400",
    "-1e400",
    "1e-400",
    "nan",
    "+inf",
    "-",
    "+",
    "1E5",
    "0.1",
    "255",
    "256",
    "-0",
    "INF",
    "1e",
    "e1",
    ".",
]
WRITTEN += ["1e+5", "1d", "5e-324", "1" * 50, "0." + "3" * 40, "18446744073709551615", "+-1", "nan(1)", "in", "++1"]


def numbers_in_texts() -> Iterator[Case]:
    targets: list[Any] = [*NARROW_WHOLES, pl.UInt64, pl.Float64]
    some = [col("a").cast(to, strict=False) for to in targets]
    yield "texts", pl.DataFrame({"a": WRITTEN, "b": 0}), [*some, col("a").cast(pl.Int32), col("a").cast(pl.Float64)]
    wholes = pl.DataFrame({"a": ["1", "-1", "+7", "0012", "-0"], "b": 0})
    yield "whole numbers", wholes, [col("a").cast(to) for to in targets]
    yield "floats", pl.DataFrame({"a": ["1", "-1.5e3", "inf", "NaN"], "b": 0}), [col("a").cast(pl.Float64)]


def casts_to_decimals() -> Iterator[Case]:
    targets = [pl.Decimal(15, 2), pl.Decimal(38, 6), pl.Decimal(5, 0), pl.Decimal(38, 38)]
    for source in [*WHOLES, *DECIMALS]:
        yield (
            str(source),
            pairs(source),
            [col("a").cast(to, strict=strict) for to in targets for strict in (True, False)],
        )
        yield (
            f"{source}, small",
            pairs(source).filter(col("a").is_between(0, 2)),
            [col("a").cast(to) for to in targets[:3]],
        )
    some = [1.005, 2.675, -1.5, 0.1, 123456.785, 1e-30, -0.0, 0.125, 0.375, 99998.5, -1e4, 1 / 3]
    for source in FLOATS:
        rows = pl.DataFrame({"a": pl.Series(some, dtype=source), "b": 0})
        yield f"{source} to decimals", rows, [col("a").cast(to) for to in targets[:3]]
        beyond = pl.DataFrame({"a": pl.Series([float("nan"), float("inf"), 1e30, -1e20, 1.0], dtype=source), "b": 0})
        yield (
            f"{source} to decimals, beyond",
            beyond,
            [col("a").cast(targets[0], strict=strict) for strict in (True, False)],
        )


def casts_of_moments() -> Iterator[Case]:
    fractions = pl.DataFrame({"a": [-1.5, 0.0, 7e4, 12.999], "b": 0})
    to: list[Any] = [pl.Date, *MOMENTS[1:], pl.Duration("us")]
    for source in FLOATS:
        yield f"{source} to moments", fractions.select(col("a").cast(source), "b"), [col("a").cast(one) for one in to]
        yield f"{source}, beyond", pairs(source), [col("a").cast(one).is_null() for one in to]
        yield f"{source}, null beyond", pairs(source), [col("a").cast(one, strict=False).is_null() for one in to]
    for dtype in MOMENTS:
        expressions = [col("a").cast(other) for other in (*FLOATS, pl.String)]
        yield (
            f"{dtype} to others",
            some_moments(dtype),
            [*expressions, *([] if dtype == pl.Date else [col("a").cast(pl.Time)])],
        )
    yield "Time", pairs(pl.Time), [col("a").cast(pl.String), col("a").cast(pl.Float64)]
    years = pl.DataFrame(
        {"a": pl.Series([-800000, -719529, -719528, 2932896, 2932897, 5000000], dtype=pl.Int32), "b": 0}
    )
    yield (
        "years",
        years,
        [col("a").cast(pl.Date).cast(pl.String), col("a").cast(pl.Date).cast(MOMENTS[1]).cast(pl.String)],
    )
    yield "Duration", pairs(pl.Duration("ms")), [col("a").cast(pl.Float64)]
    yield "Boolean to String", pairs(pl.Boolean), [col("a").cast(pl.String)]
    for source in DECIMALS:
        yield f"{source} to String", pairs(source), [col("a").cast(pl.String)]


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


def nulls(expression: pl.Expr) -> Iterator[Case]:
    for dtype in ALL:
        yield str(dtype), pairs(dtype), [expression]


def truths(*expressions: pl.Expr) -> Iterator[Case]:
    yield "Boolean", pairs(pl.Boolean), list(expressions)
    yield "comparisons", pairs(pl.Int64), [pl.Expr.and_(*COMPARED), pl.Expr.or_(*COMPARED), ~COMPARED[0] | COMPARED[2]]


COMPARED = [col("a") > 0, col("b") < 7, (col("a") > col("b")) | (col("a") == 1)]


def ternaries() -> Iterator[Case]:
    for dtype in ALL:
        above = pl.when(col("a") > col("b"))
        expressions = [above.then(col("a")).otherwise(col("b")), above.then(col("b")).otherwise(col("a"))]
        for value in literals(dtype):
            expressions += [
                above.then(col("a")).otherwise(value),
                above.then(value).when(col("b") == value).then(col("b")).otherwise(col("a")),
            ]
        yield str(dtype), pairs(dtype), expressions


SMALL = pl.DataFrame({"a": [*range(-40, 90), 2**40], "b": 0})  # sums that floats hold


def means() -> Iterator[Case]:
    for dtype in (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32, pl.Float64, *DECIMALS):
        yield str(dtype), pairs(dtype), [col("a").mean()]
    for dtype in (pl.Int64, pl.Int128, pl.UInt64):
        yield str(dtype), SMALL.filter(col("a") >= 0).select(pl.all().cast(dtype)), [col("a").mean()]


def aggregate(dtypes: list[Any], *expressions: pl.Expr) -> Iterator[Case]:
    for dtype in dtypes:
        yield str(dtype), pairs(dtype), list(expressions)


def sums() -> Iterator[Case]:
    yield from aggregate([*NUMBERS, pl.Boolean, pl.Duration("us")], col("a").sum())
    for dtype in WHOLES:  # the lowest value has no negative
        low = interesting(dtype)[0]
        yield f"{dtype}, lowest", pl.DataFrame({"a": pl.Series([low, 0], dtype=dtype), "b": 0}), [col("a").sum()]


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


MOMENTS: list[Any] = [pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns")]


def moments(dtype: Any) -> pl.DataFrame:
    days = pl.date_range(pl.date(1890, 1, 1), pl.date(2105, 1, 1), "17d", eager=True)
    leaps = [date(1900, 2, 28), date(1900, 3, 1), date(2000, 2, 29), date(2020, 12, 31), date(2021, 1, 3)]
    every = pl.concat([days, pl.Series(leaps)])
    if dtype != pl.Date:
        every = every.cast(dtype) + pl.Series(
            [timedelta(microseconds=n * 7_654_321_987 % 86_400_000_000) for n in range(len(every))]
        )
    return pl.DataFrame({"a": every.cast(dtype), "b": 0})


def parts_of_dates(part: Callable[[Any], pl.Expr]) -> Iterator[Case]:
    for dtype in MOMENTS:
        yield str(dtype), moments(dtype), [part(col("a").dt)]
    yield "UTC", moments(pl.Datetime("us")).with_columns(col("a").dt.replace_time_zone("UTC")), [part(col("a").dt)]


def ends_of_the_calendar(part: Callable[[Any], pl.Expr]) -> Iterator[Case]:
    days = pl.Series([2**31 - 1, -(2**31), 95026236, 95026237, -96465292, -96465293, 0], dtype=pl.Int32)
    yield "ends, Date", pl.DataFrame({"a": days.cast(pl.Date), "b": 0}), [part(col("a").dt)]
    ticks = pl.Series([2**63 - 1, -(2**63), 0]).cast(pl.Datetime("ms"))
    yield "ends, Datetime", pl.DataFrame({"a": ticks, "b": 0}), [part(col("a").dt)]


def parts_of_times(part: Callable[[Any], pl.Expr]) -> Iterator[Case]:
    for dtype in MOMENTS[1:]:
        yield str(dtype), moments(dtype), [part(col("a").dt)]
    yield "Time", pairs(pl.Time), [part(col("a").dt)]


def narrow_casts() -> Iterator[Case]:
    counted: list[Any] = [*WHOLES, pl.Date, pl.Datetime("us"), pl.Duration("ms"), pl.Time]
    for source in counted:
        casts = [col("a").cast(to, strict=strict) for to in WHOLES for strict in (True, False)]
        yield f"{source} to whole numbers", pairs(source), casts
    for source in WHOLES:
        if source in (pl.Int8, pl.Int16, pl.UInt16):  # dates that Python has
            to_times = [col("a").cast(to) for to in (pl.Date, pl.Datetime("ms"), pl.Duration("us"))]
            yield f"{source} to times", pairs(source), to_times
        wrapped = [col("a").cast(to, wrap_numerical=True) for to in WHOLES]
        yield f"{source} wrapped", pairs(source), [*wrapped, col("a").cast(pl.Boolean)]
    for source in FLOATS:
        casts = [col("a").cast(to, strict=strict) for to in [*NARROW_WHOLES, pl.UInt64] for strict in (True, False)]
        yield f"{source} to whole numbers", pairs(source), casts
        fractions = pl.DataFrame({"a": pl.Series([-128.9, -0.5, 127.9, 128.0, 255.5, 1e10], dtype=source), "b": 0})
        yield f"{source}, fractions", fractions, casts
        yield f"{source}", pairs(source), [col("a").cast(pl.Float32), col("a").cast(pl.Boolean)]
    for source in DECIMALS:
        casts = [col("a").cast(to, strict=strict) for to in [*WHOLES, *FLOATS] for strict in (True, False)]
        smaller = [
            col("a").cast(pl.Decimal(precision, scale), strict=strict)
            for precision, scale in ((38, 0), (9, 0), (15, 2), (20, 1))
            if scale <= source.scale
            for strict in (True, False)
        ]
        yield f"{source}", pairs(source), [*casts, *smaller, col("a").cast(pl.Boolean)]
    yield "Boolean", pairs(pl.Boolean), [col("a").cast(to) for to in [*WHOLES, *FLOATS]]
    for dtype in MOMENTS:
        yield f"{dtype} to others", moments(dtype), [col("a").cast(to, strict=False) for to in MOMENTS]
    for unit in ("ms", "us", "ns"):
        durations = [col("a").cast(pl.Duration(to)) for to in ("ms", "us", "ns")]
        yield f"Duration({unit})", pairs(pl.Duration("us")).select(col("a").cast(pl.Duration(unit)), "b"), durations


def quotients_of_decimals() -> Iterator[Case]:
    for dtype in DECIMALS:
        rows = pairs(dtype)
        yield f"{dtype}", rows.filter(col("b") != 0), [col("a") / col("b"), col("a") / Decimal("0.07")]
        yield f"{dtype}, by zero", rows, [col("a") / col("b")]
    for first, second in MIXED_DECIMALS:
        yield f"{first} by {second}", pairs(first, second).filter(col("b") != 0), [col("a") / col("b")]


def quotients_of_wholes(operation: Binary) -> Iterator[Case]:
    yield from of_pairs(WHOLES, operation)
    zeros = [operation(col("a"), pl.lit(value, pl.Int64)) for value in (0, 1, -1, 3, -3)]
    yield "Int64 by literals", pairs(pl.Int64), zeros


def quotients_of_floats(operation: Binary) -> Iterator[Case]:
    yield from of_pairs(FLOATS, operation)
    some = pl.DataFrame({"a": [7.5, -7.5, 0.3, -0.3, 1e17, 5.0], "b": [2.0, -2.0, 0.1, 0.7, 3.0, 0.0]})
    for dtype in FLOATS:
        by = [operation(col("a"), pl.lit(value, dtype)) for value in (2.0, -3.0, 0.1, 0.7)]
        yield f"{dtype}, fractions", some.select(pl.all().cast(dtype)), [operation(col("a"), col("b")), *by]


def fillings() -> Iterator[Case]:
    for dtype in ALL:
        filled = [col("a").fill_null(value) for value in [col("b"), *literals(dtype)]]
        yield str(dtype), pairs(dtype), filled


def coalesced() -> Iterator[Case]:
    for dtype in ALL:
        some = [pl.coalesce("a", "b", *literals(dtype)[:1]), pl.coalesce("b", "a"), pl.coalesce("a")]
        yield str(dtype), pairs(dtype), some


def durations(*operations: Binary) -> Iterator[Case]:
    for unit in ("ms", "us"):
        rows = pairs(pl.Datetime("us"), pl.Duration("us")).select(
            col("a").cast(pl.Datetime(unit)), col("b").cast(pl.Duration(unit))
        )
        yield f"Datetime and Duration, {unit}", rows, [operation(col("a"), col("b")) for operation in operations]
    yield from of_pairs([pl.Duration("us")], *operations)


def roundings(*operations: Callable[[pl.Expr], pl.Expr]) -> Iterator[Case]:
    expressions = [operation(col("a")) for operation in operations]
    yield from aggregate(NUMBERS, *expressions)
    halves = [sign * (whole + half) for whole in (0, 1, 2, 9, 2**40) for half in (0.25, 0.5, 0.75) for sign in (1, -1)]
    some = [*halves, 0.49999999999999994, 1.005, 2.675, 1e22, 123456.789, 1e-300]
    for dtype in FLOATS:
        yield f"{dtype}, halves", pl.DataFrame({"a": pl.Series(some, dtype=dtype), "b": 0}), expressions
    money = pl.Series([Decimal(n) / 100 for n in range(-270, 270, 5)], dtype=pl.Decimal(6, 2))
    yield "Decimal(6, 2), halves", pl.DataFrame({"a": money, "b": 0}), expressions
    large = pl.Series([Decimal("9" * 36 + ".99"), Decimal(1), Decimal("-" + "9" * 36 + ".49")], dtype=pl.Decimal(38, 2))
    for rows in (large, large[1:], large[1:2]):  # some overflow, and some do not
        yield "Decimal(38, 2), large", pl.DataFrame({"a": rows, "b": 0}), expressions


def rounds() -> Iterator[Case]:
    digits = (0, 1, 2, 5, 17, 25, 200, 330)
    modes: list[Any] = ["half_to_even", "half_away_from_zero"]
    yield from roundings(*(partial(pl.Expr.round, decimals=some, mode=mode) for some in digits for mode in modes))


def clips() -> Iterator[Case]:
    for dtype in [*NUMBERS, *TIMES[:2], TIMES[3]]:
        low, high = interesting(dtype)[2], interesting(dtype)[-3]
        bounds = [(low, high), (high, low), (None, high), (low, None), (col("b"), high), (low, col("b"))]
        expressions = [
            col("a").clip(
                *(side if side is None or isinstance(side, pl.Expr) else pl.lit(side, dtype) for side in pair)
            )
            for pair in [*bounds, (col("b"), col("b")), (col("b"), None), (None, col("b"))]
        ]
        if dtype in NUMBERS:
            expressions += [col("a").clip(0, 5), col("a").clip(7, 2), col("a").clip(upper_bound=pl.lit(None, dtype))]
        if dtype in FLOATS:
            expressions += [col("a").clip(-0.5, 0.1), col("a").clip(0.0, float("nan"))]
        yield str(dtype), pairs(dtype), expressions


def powers() -> Iterator[Case]:
    yield from aggregate([*WHOLES, *FLOATS], *(col("a") ** power for power in (0, 1, 2, 3, 5)))
    yield from aggregate(WHOLES, col("a") ** 16, col("a") ** 2.0, col("a") ** 0.5)
    yield from aggregate(FLOATS, col("a") ** 9, col("a") ** 0.5, col("a") ** 2.0)


def fused() -> Iterator[Case]:
    c = col("a") - 0.3
    for dtype in FLOATS:
        expressions = [
            col("a") * col("b") + c,
            c + col("a") * col("b"),
            col("a") * col("b") - c,
            c - col("a") * col("b"),
        ]
        yield str(dtype), pairs(dtype), expressions


def of_rows(dtypes: list[Any], *operations: Callable[..., pl.Expr]) -> Iterator[Case]:
    """Operations on all columns of a row: one, two, three, and literals."""
    for dtype in dtypes:
        lists: list[list[Any]] = [["a"], ["a", "b"], ["b", "a", "b"], *(["a", value] for value in literals(dtype))]
        yield str(dtype), pairs(dtype), [operation(*columns) for operation in operations for columns in lists]


def sums_of_rows(operation: Callable[..., pl.Expr]) -> Iterator[Case]:
    both = (operation, partial(operation, ignore_nulls=False))
    yield from of_rows([*WHOLES, pl.Boolean], *both)
    for dtype in FLOATS:  # more than two are added in any order
        yield str(dtype), pairs(dtype), [one("a", "b") for one in both]


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


PERIODS = ["1d", "3d", "1w", "2w", "1mo", "5mo", "1q", "1y", "100y"]
MOMENTS_AND_DURATIONS = [(a, pl.Duration(unit)) for a in (*MOMENTS[:3], pl.Duration("ms")) for unit in ("ms", "us")]


def with_unit(dtype: Any) -> pl.DataFrame:
    """Moments, or durations of each sign."""
    if isinstance(dtype, pl.Duration):
        return pairs(pl.Duration("us")).select(pl.all().cast(dtype))
    return moments(dtype)[::40].select("a")


def moments_of_units() -> Iterator[Case]:
    for first, second in MOMENTS_AND_DURATIONS:
        spans = [timedelta(hours=-30), timedelta(0), timedelta(days=3, microseconds=1), timedelta(microseconds=-1)]
        rows = with_unit(first).join(pl.DataFrame({"b": pl.Series(spans).cast(second)}), how="cross")
        yield f"{first} and {second}", rows, [col("a") + col("b"), col("b") + col("a"), col("a") + spans[2]]


def differences_of_moments() -> Iterator[Case]:
    for _, rows, _ in moments_of_units():
        yield f"{rows.schema['a']} and {rows.schema['b']}", rows, [col("a") - col("b"), col("a") - timedelta(days=1)]
    for first in MOMENTS[:3]:
        for second in MOMENTS[:3]:
            rows = moments(first)[::25].select("a", b=col("a").reverse().cast(second))
            yield f"{first} and {second}", rows, [col("a") - col("b"), col("a") - date(2000, 1, 1)]


def some_moments(dtype: Any) -> pl.DataFrame:
    """Few enough for many expressions; with the leap days, which come last."""
    return pl.concat([moments(dtype)[::41], moments(dtype)[-5:]])


def of_moments(*operations: Callable[[Any], pl.Expr]) -> Iterator[Case]:
    for dtype in MOMENTS:
        yield str(dtype), moments(dtype), [operation(col("a").dt) for operation in operations]
    yield (
        "UTC",
        moments(MOMENTS[2]).with_columns(col("a").dt.replace_time_zone("UTC")),
        [f(col("a").dt) for f in operations],
    )


def of_moments_with_zones(operation: Callable[[Any], pl.Expr], zones: list[Any] | None = None) -> Iterator[Case]:
    for zone in zones or [None, "UTC", "Europe/Berlin"]:
        for dtype in MOMENTS[1:]:
            rows = some_moments(dtype).select(col("a").dt.replace_time_zone("UTC"))
            rows = rows.select(col("a").dt.convert_time_zone(zone) if zone else col("a").dt.replace_time_zone(None))
            yield f"{dtype} in {zone}", rows, [operation(col("a").dt)]


def truncations() -> Iterator[Case]:
    yield from of_moments(*(partial(lambda every, a: a.truncate(every), every) for every in [*PERIODS, "12h"]))
    parts = ["1h", "90m", "36h", "15s", "250ms", "7us"]
    for dtype in MOMENTS[2:]:
        yield f"{dtype}, parts of days", some_moments(dtype), [col("a").dt.truncate(every) for every in parts]


def offsets() -> Iterator[Case]:
    some = [*PERIODS, "1h", "24h", "1mo2d3h", "1y3mo1w2d", "25us", "7ms1500us", "999ns"]
    yield from of_moments(*(partial(lambda by, a: a.offset_by(by), sign + by) for by in some for sign in ("", "-")))


def totals(unit: str) -> Iterator[Case]:
    for of in ("ms", "us", "ns"):
        total = getattr(col("a").dt, f"total_{unit}")
        rows = pairs(pl.Duration("us")).select(col("a").cast(pl.Duration(of)), b=0)
        yield f"Duration({of})", rows, [total(), total(fractional=True)]


def scaled_durations(operation: Binary) -> Iterator[Case]:
    for dtype in (pl.Int8, pl.Int64, pl.UInt32, *FLOATS):
        rows = pairs(pl.Duration("us"), dtype)
        numbers = [operation(col("a"), col("b")), operation(col("a"), 3), operation(col("a"), 0.7)]
        yield f"Duration and {dtype}", rows, numbers
        if operation is operator.mul:
            yield f"{dtype} and Duration", rows, [operation(col("b"), col("a")), operation(2, col("a"))]


def statistics(*expressions: pl.Expr) -> Iterator[Case]:
    numbers = [pl.Int8, pl.Int32, pl.Int64, pl.UInt64, *FLOATS, pl.Decimal(15, 2)]
    for dtype in numbers:
        small = pl.Series([n * 7 % 31 for n in range(90)]).cast(dtype)
        yield str(dtype), pl.DataFrame({"a": small, "b": 0}), list(expressions)
        yield f"{dtype}, one value", pl.DataFrame({"a": small[1:2], "b": 0}), list(expressions)
        yield f"{dtype}, two values", pl.DataFrame({"a": small[1:3], "b": 0}), list(expressions)


def quantiles() -> Iterator[Case]:
    methods: list[Any] = ["nearest", "lower", "higher", "midpoint", "linear", "equiprobable"]
    every = [col("a").quantile(share, method) for share in (0.0, 0.3, 0.5, 0.9, 1.0) for method in methods]
    yield from statistics(*every)
    some = pl.DataFrame({"a": [1.5, float("nan"), -2.0, float("inf")], "b": 0})
    yield "NaN", some, every


CASES: dict[str, Cases] = {
    "any": lambda: aggregate([pl.Boolean], col("a").any(), col("a").any(ignore_nulls=False)),
    "all": lambda: aggregate([pl.Boolean], col("a").all(), col("a").all(ignore_nulls=False)),
    "product": lambda: chain(
        aggregate([*WHOLES, pl.Boolean], col("a").product()),
        statistics(*((col("a").cast(dtype) / 16 + 0.5).product() for dtype in FLOATS)),
    ),
    "var": lambda: statistics(*(col("a").var(ddof) for ddof in (0, 1, 2))),
    "std": lambda: statistics(*(col("a").std(ddof) for ddof in (0, 1, 2))),
    "implode": lambda: aggregate([pl.Boolean, *ALL], col("a").implode()),
    "median": lambda: chain(statistics(col("a").median()), aggregate([pl.Boolean], col("a").median())),
    "quantile": quantiles,
    "truncate_moment": truncations,
    "offset_by": offsets,
    "month_start": partial(of_moments, lambda a: a.month_start()),
    "month_end": partial(of_moments, lambda a: a.month_end()),
    "date": partial(of_moments, lambda a: a.date()),
    "time": partial(parts_of_times, lambda a: a.time()),
    "timestamp": lambda: of_moments(*(partial(lambda unit, a: a.timestamp(unit), unit) for unit in ("ms", "us", "ns"))),
    "cast_time_unit": lambda: chain(
        *(aggregate([pl.Duration("us"), MOMENTS[2]], col("a").dt.cast_time_unit(unit)) for unit in ("ms", "us", "ns")),
        *(of_moments_with_zones(partial(lambda to, a: a.cast_time_unit(to), unit)) for unit in ("ms", "us", "ns")),
    ),
    "convert_time_zone": partial(of_moments_with_zones, lambda a: a.convert_time_zone("Asia/Tokyo")),
    "replace_time_zone": lambda: chain(
        of_moments_with_zones(lambda a: a.replace_time_zone("UTC"), zones=[None, "UTC"]),
        of_moments_with_zones(lambda a: a.replace_time_zone(None, ambiguous="latest"), zones=[None, "UTC"]),
    ),
    "total_days": partial(totals, "days"),
    "total_hours": partial(totals, "hours"),
    "total_minutes": partial(totals, "minutes"),
    "total_seconds": partial(totals, "seconds"),
    "total_milliseconds": partial(totals, "milliseconds"),
    "total_microseconds": partial(totals, "microseconds"),
    "total_nanoseconds": partial(totals, "nanoseconds"),
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
    "round": rounds,
    "floor": partial(roundings, pl.Expr.floor),
    "ceil": partial(roundings, pl.Expr.ceil),
    "truncate": lambda: roundings(*(partial(pl.Expr.truncate, decimals=some) for some in (0, 1, 3))),
    "clip": clips,
    "sign": partial(aggregate, NUMBERS, col("a").sign()),
    "sqrt": lambda: aggregate(NUMBERS, col("a").sqrt()),
    "pow": powers,
    "fused": fused,
    "max_horizontal": partial(of_rows, [*NUMBERS, pl.Boolean, *TIMES], pl.max_horizontal),
    "min_horizontal": partial(of_rows, [*NUMBERS, pl.Boolean, *TIMES], pl.min_horizontal),
    "sum_horizontal": partial(sums_of_rows, pl.sum_horizontal),
    "mean_horizontal": partial(sums_of_rows, pl.mean_horizontal),
    "add": lambda: chain(
        arithmetic(operator.add),
        of_pairs([pl.String], operator.add),
        durations(operator.add, lambda a, b: b + a),
        moments_of_units(),
    ),
    "subtract": lambda: chain(
        arithmetic(operator.sub),
        durations(operator.sub),
        of_pairs([pl.Datetime("us")], operator.sub),
        differences_of_moments(),
    ),
    "multiply": lambda: chain(arithmetic(operator.mul), scaled_durations(operator.mul)),
    "divide": lambda: chain(
        of_pairs(FLOATS, operator.truediv),
        quotients_of_decimals(),
        of_pairs(WHOLES[:4], operator.truediv),
        scaled_durations(operator.truediv),
        of_pairs([pl.Duration("us")], operator.truediv),
    ),
    "modulo": lambda: chain(quotients_of_wholes(operator.mod), quotients_of_floats(operator.mod)),
    "floor_divide": lambda: chain(quotients_of_wholes(operator.floordiv), quotients_of_floats(operator.floordiv)),
    "xor": lambda: truths(col("a") ^ col("b"), col("a") ^ pl.lit(True), ~(col("a") ^ col("b"))),
    "first_non_null": partial(aggregate, ALL, col("a").drop_nulls().first()),
    "last_non_null": partial(aggregate, ALL, col("a").drop_nulls().last()),
    "days_in_month": partial(parts_of_dates, lambda a: a.days_in_month()),
    "century": partial(of_moments, lambda a: a.century()),
    "millennium": partial(of_moments, lambda a: a.millennium()),
    "negate": lambda: aggregate([*SIGNED[:-1], *FLOATS, *DECIMALS, pl.Duration("us")], -col("a")),
    "abs": lambda: aggregate([*NUMBERS, pl.Duration("us")], col("a").abs()),
    "fill_null": fillings,
    "coalesce": coalesced,
    "is_nan": lambda: aggregate(FLOATS, col("a").is_nan()),
    "is_not_nan": lambda: aggregate(FLOATS, col("a").is_not_nan()),
    "is_finite": lambda: aggregate(FLOATS, col("a").is_finite()),
    "is_infinite": lambda: aggregate(FLOATS, col("a").is_infinite()),
    "equal_missing": partial(comparison, pl.Expr.eq_missing),
    "not_equal_missing": partial(comparison, pl.Expr.ne_missing),
    "first": lambda: aggregate(ALL, col("a").first()),
    "last": lambda: aggregate(ALL, col("a").last()),
    "cast": lambda: chain(
        casts(), texts(), numbers_in_texts(), narrow_casts(), casts_to_decimals(), casts_of_moments()
    ),
    "starts_with": partial(parts_of_texts, lambda a, part: a.str.starts_with(part)),
    "ends_with": partial(parts_of_texts, lambda a, part: a.str.ends_with(part)),
    "contains": lambda: chain(parts_of_texts(lambda a, part: a.str.contains(part, literal=True)), patterns()),
    "str_slice": slices_of_texts,
    "str_tail": tails,
    "year": lambda: chain(parts_of_dates(lambda a: a.year()), ends_of_the_calendar(lambda a: a.year())),
    "month": partial(parts_of_dates, lambda a: a.month()),
    "day": partial(parts_of_dates, lambda a: a.day()),
    "weekday": partial(parts_of_dates, lambda a: a.weekday()),
    "ordinal_day": partial(parts_of_dates, lambda a: a.ordinal_day()),
    "quarter": partial(parts_of_dates, lambda a: a.quarter()),
    "week": partial(parts_of_dates, lambda a: a.week()),
    "iso_year": partial(parts_of_dates, lambda a: a.iso_year()),
    "is_leap_year": partial(parts_of_dates, lambda a: a.is_leap_year()),
    "hour": lambda: chain(parts_of_times(lambda a: a.hour()), list(ends_of_the_calendar(lambda a: a.hour()))[1:]),
    "minute": partial(parts_of_times, lambda a: a.minute()),
    "second": partial(parts_of_times, lambda a: a.second()),
    "millisecond": partial(parts_of_times, lambda a: a.millisecond()),
    "microsecond": partial(parts_of_times, lambda a: a.microsecond()),
    "nanosecond": partial(parts_of_times, lambda a: a.nanosecond()),
    "str_head": heads,
    "concat_str": concatenations,
    "equal": partial(comparison, operator.eq),
    "not_equal": partial(comparison, operator.ne),
    "less": partial(comparison, operator.lt),
    "less_equal": partial(comparison, operator.le),
    "greater": partial(comparison, operator.gt),
    "greater_equal": partial(comparison, operator.ge),
    "is_between": betweens,
    "is_in": memberships,
    "and": lambda: truths(col("a") & col("b"), col("a") & pl.lit(True), col("a") & pl.lit(False)),
    "or": lambda: truths(col("a") | col("b"), col("a") | pl.lit(True), col("a") | pl.lit(False)),
    "not": lambda: truths(~col("a"), ~(col("a") & ~col("b"))),
    "is_null": partial(nulls, col("a").is_null()),
    "is_not_null": partial(nulls, col("a").is_not_null()),
    "ternary": ternaries,
    "count": lambda: aggregate(ALL, col("a").count()),
    "len": lambda: aggregate([pl.Int64], pl.len(), pl.len() + 1),
    "null_count": lambda: aggregate(ALL, col("a").null_count()),
    "count_all": lambda: aggregate(ALL, col("a").len()),
    "max": lambda: aggregate([*NUMBERS, *TIMES, pl.String, pl.Boolean], col("a").max()),
    "min": lambda: aggregate([*NUMBERS, *TIMES, pl.String, pl.Boolean], col("a").min()),
    "mean": means,
    "n_unique": lambda: aggregate(ALL, col("a").n_unique()),
    "sum": sums,
}


def all_cases() -> list[Any]:
    return [
        pytest.param(frame, expressions, id=f"{name}: {what}")
        for name, cases in CASES.items()
        for what, frame, expressions in cases()
    ]


@pytest.mark.parametrize(("frame", "expressions"), all_cases())
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    for rows in variants(frame):
        for some in batched(expressions, 4):
            # Several at once, which is quicker; one by one where an expression raises.
            together = rows.lazy().select(**{f"x{i}": expression for i, expression in enumerate(some)})
            if isinstance(outcome(together, "in-memory"), pl.DataFrame):
                assert_agreement(together, device, approximate=approximate(together, some))
                continue
            for expression in some:
                alone = rows.lazy().select(x0=expression)
                assert_agreement(alone, device, approximate=approximate(alone, (expression,)))


def test_equal_functions_of_a_column_with_other_patterns_are_told_apart(device: str) -> None:
    a = col("a").str
    patterns = {f"x{i}": a.contains(pattern) for i, pattern in enumerate(["^a", "e$", "[0-9]", "^a"])}
    assert_agreement(pl.LazyFrame({"a": ["apple", "a1", "be", None, ""]}).select(**patterns), device)


def batched(expressions: list[pl.Expr], size: int) -> Iterator[tuple[pl.Expr, ...]]:
    for begin in range(0, len(expressions), size):
        yield tuple(expressions[begin : begin + size])


def approximate(query: pl.LazyFrame, expressions: tuple[pl.Expr, ...]) -> list[str]:
    """Sums, products and means of floats depend on their order."""
    inexact = (".sum()", ".mean()", ".product()", ".var(", ".std(", ".quantile(")
    summed = [any(word in str(expression) for word in inexact) for expression in expressions]
    if not any(summed):
        return []
    dtypes = query.collect_schema().dtypes()
    return [f"x{i}" for i, dtype in enumerate(dtypes) if summed[i] and dtype.is_float()]


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        (col("a").cast(pl.Categorical), "signature"),
        (col("t").str.contains(r"\b"), "signature"),
        (col("t").str.contains("[a&&b]"), "signature"),
        (col("t").str.contains("(?x) a"), "signature"),
        (col("t").str.contains("a{1001}"), "signature"),
        (col("t").str.contains("[[a]b]"), "signature"),
        (col("t").str.contains("(a"), "signature"),
        (col("t").str.contains(col("t")), "signature"),
        (col("z").dt.hour(), "signature"),
        (col("t").str.replace("a", "$0"), "signature"),
        (col("t").str.slice(0, -1), "signature"),
        (col("t").str.replace("a.", "b"), "signature"),
        (col("t").str.replace("a", col("t"), literal=True), "signature"),
        (col("a").cast(pl.Float64).round(310), "signature"),
        (col("a") ** col("a"), "signature"),
    ],
)
def test_what_is_refused_says_why(strict: frazil.Engine, expression: pl.Expr, code: str) -> None:
    zoned = pl.Series("z", [0, 1, 2]).cast(pl.Datetime("us", "Europe/Berlin"))
    rows = pl.DataFrame([pl.Series("a", [1, 2, 3]), pl.Series("t", ["a", "b", "c"]), zoned])
    with pytest.raises(frazil.UnsupportedError) as caught:
        rows.lazy().select(expression).collect(engine=strict)
    assert {reason.code for reason in caught.value.reasons} <= {code, "dtype"}
