"""Functions of the family cast: over the dtypes that they take, with nulls, extremes and empty frames."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import polars as pl
import pytest
from cases import MOMENTS, NARROW_WHOLES, Case, Cases, assert_agree, moments, parameters, some_moments
from polars import col
from samples import DECIMALS, FLOATS, SIGNED, WHOLES, pairs

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


CASES: dict[str, Cases] = {
    "cast": lambda: chain(
        casts(), texts(), numbers_in_texts(), narrow_casts(), casts_to_decimals(), casts_of_moments()
    ),
}


@pytest.mark.parametrize(("frame", "expressions"), parameters(CASES))
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    assert_agree(device, frame, expressions)
