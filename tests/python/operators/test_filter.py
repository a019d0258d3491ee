"""Filter against Polars."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from oracle import assert_agreement
from polars import col
from samples import ALL, pairs, payload, random_rows, variants

ROWS = random_rows(3000)


@pytest.mark.parametrize(
    "predicate",
    [
        col("few") == 2,
        col("few") != 2,
        col("few").is_null() | (col("many") < 100),
        col("text") == "a",
        col("price") > 0,
        col("real") < -1e9,  # no row
        col("ordinal") >= 0,  # every row
        col("ordinal") == 1024,  # one row, the first of a tile
        col("ordinal").is_between(1000, 1050),
        pl.lit(True) & (col("few") > 1),
        (col("price") + col("price")) > 100,
    ],
)
def test_a_predicate_keeps_the_rows_that_polars_keeps(device: str, predicate: pl.Expr) -> None:
    assert_agreement(ROWS.lazy().filter(predicate), device)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_columns_of_every_dtype_are_kept(device: str, dtype: Any) -> None:
    for rows in variants(pairs(dtype)):
        assert_agreement(rows.lazy().filter(col("a") >= col("b")), device)


def test_columns_that_are_only_passed_on_are_kept(device: str) -> None:
    rows = pl.concat([ROWS.select("ordinal", "few"), payload(3000)], how="horizontal")
    for few in (0, 9):
        assert_agreement(rows.lazy().filter(col("few") == few), device)


def test_filters_on_filters_and_columns_between(device: str) -> None:
    query = ROWS.lazy().filter(col("few") > 0).with_columns(twice=col("many") * 2).filter(col("twice") > 100)
    assert_agreement(query.filter(col("text").is_not_null()).select("ordinal", "twice"), device)


def test_an_error_in_a_row_that_the_same_predicate_drops_is_raised(device: str) -> None:
    rows = pl.DataFrame({"k": [1, 2], "d": ["9" * 38, "1"]}).with_columns(col("d").cast(pl.Decimal(38, 0)))
    query = rows.lazy().filter((col("k") > 1) & (col("d") + col("d") > 0))
    assert isinstance(assert_agreement(query, device), type)
