"""Functions of the family logic: over the dtypes that they take, with nulls, extremes and empty frames."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import polars as pl
import pytest
from cases import Case, Cases, aggregate, assert_agree, literals, parameters
from polars import col
from samples import ALL, FLOATS, pairs


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


def fillings() -> Iterator[Case]:
    for dtype in ALL:
        filled = [col("a").fill_null(value) for value in [col("b"), *literals(dtype)]]
        yield str(dtype), pairs(dtype), filled


def coalesced() -> Iterator[Case]:
    for dtype in ALL:
        some = [pl.coalesce("a", "b", *literals(dtype)[:1]), pl.coalesce("b", "a"), pl.coalesce("a")]
        yield str(dtype), pairs(dtype), some


CASES: dict[str, Cases] = {
    "xor": lambda: truths(col("a") ^ col("b"), col("a") ^ pl.lit(True), ~(col("a") ^ col("b"))),
    "fill_null": fillings,
    "coalesce": coalesced,
    "is_nan": lambda: aggregate(FLOATS, col("a").is_nan()),
    "is_not_nan": lambda: aggregate(FLOATS, col("a").is_not_nan()),
    "is_finite": lambda: aggregate(FLOATS, col("a").is_finite()),
    "is_infinite": lambda: aggregate(FLOATS, col("a").is_infinite()),
    "and": lambda: truths(col("a") & col("b"), col("a") & pl.lit(True), col("a") & pl.lit(False)),
    "or": lambda: truths(col("a") | col("b"), col("a") | pl.lit(True), col("a") | pl.lit(False)),
    "not": lambda: truths(~col("a"), ~(col("a") & ~col("b"))),
    "is_null": partial(nulls, col("a").is_null()),
    "is_not_null": partial(nulls, col("a").is_not_null()),
    "ternary": ternaries,
}


@pytest.mark.parametrize(("frame", "expressions"), parameters(CASES))
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    assert_agree(device, frame, expressions)
