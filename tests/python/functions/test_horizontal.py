"""Functions of the family horizontal: over the dtypes that they take, with nulls, extremes and empty frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import polars as pl
import pytest
from cases import Case, Cases, assert_agree, literals, parameters
from samples import FLOATS, NUMBERS, TIMES, WHOLES, pairs


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


CASES: dict[str, Cases] = {
    "max_horizontal": partial(of_rows, [*NUMBERS, pl.Boolean, *TIMES], pl.max_horizontal),
    "min_horizontal": partial(of_rows, [*NUMBERS, pl.Boolean, *TIMES], pl.min_horizontal),
    "sum_horizontal": partial(sums_of_rows, pl.sum_horizontal),
    "mean_horizontal": partial(sums_of_rows, pl.mean_horizontal),
}


@pytest.mark.parametrize(("frame", "expressions"), parameters(CASES))
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    assert_agree(device, frame, expressions)
