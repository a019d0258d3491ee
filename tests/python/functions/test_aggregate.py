"""Functions of the family aggregate: over the dtypes that they take, with nulls, extremes and empty frames."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import polars as pl
import pytest
from cases import Case, Cases, aggregate, assert_agree, parameters
from polars import col
from samples import ALL, DECIMALS, FLOATS, NUMBERS, TIMES, WHOLES, interesting, pairs

SMALL = pl.DataFrame({"a": [*range(-40, 90), 2**40], "b": 0})  # sums that floats hold


def means() -> Iterator[Case]:
    for dtype in (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32, pl.Float64, *DECIMALS):
        yield str(dtype), pairs(dtype), [col("a").mean()]
    for dtype in (pl.Int64, pl.Int128, pl.UInt64):
        yield str(dtype), SMALL.filter(col("a") >= 0).select(pl.all().cast(dtype)), [col("a").mean()]


def sums() -> Iterator[Case]:
    yield from aggregate([*NUMBERS, pl.Boolean, pl.Duration("us")], col("a").sum())
    for dtype in WHOLES:  # the lowest value has no negative
        low = interesting(dtype)[0]
        yield f"{dtype}, lowest", pl.DataFrame({"a": pl.Series([low, 0], dtype=dtype), "b": 0}), [col("a").sum()]


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
    "first_non_null": partial(aggregate, ALL, col("a").drop_nulls().first()),
    "last_non_null": partial(aggregate, ALL, col("a").drop_nulls().last()),
    "first": lambda: aggregate(ALL, col("a").first()),
    "last": lambda: aggregate(ALL, col("a").last()),
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


@pytest.mark.parametrize(("frame", "expressions"), parameters(CASES))
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    assert_agree(device, frame, expressions)
