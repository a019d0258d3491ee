"""Functions of the family compare: over the dtypes that they take, with nulls, extremes and empty frames."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import partial
from typing import Any

import polars as pl
import pytest
from cases import (
    MIXED_DECIMALS,
    MIXED_NUMBERS,
    NARROW_WHOLES,
    Binary,
    Case,
    Cases,
    assert_agree,
    literals,
    of_mixed,
    of_pairs,
    parameters,
)
from polars import col
from samples import ALL, DECIMALS, FLOATS, interesting, pairs


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


LISTED: list[Any] = [*NARROW_WHOLES, *FLOATS, *DECIMALS, pl.String, pl.Date, pl.Datetime("us")]


CASES: dict[str, Cases] = {
    "equal_missing": partial(comparison, pl.Expr.eq_missing),
    "not_equal_missing": partial(comparison, pl.Expr.ne_missing),
    "equal": partial(comparison, operator.eq),
    "not_equal": partial(comparison, operator.ne),
    "less": partial(comparison, operator.lt),
    "less_equal": partial(comparison, operator.le),
    "greater": partial(comparison, operator.gt),
    "greater_equal": partial(comparison, operator.ge),
    "is_between": betweens,
    "is_in": memberships,
}


@pytest.mark.parametrize(("frame", "expressions"), parameters(CASES))
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    assert_agree(device, frame, expressions)
