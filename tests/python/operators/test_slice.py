"""Slices against Polars."""

from __future__ import annotations

import polars as pl
import pytest
from oracle import assert_agreement
from polars import col
from samples import payload, random_rows

ROWS = random_rows(3000)
SLICES = [(0, 1), (0, None), (5, 7), (1020, 10), (2999, 5), (3000, 1), (9999, None), (0, 0), (-1, None), (-10, 3)]
BEFORE = [(-3000, 2), (-4000, 1001), (-4000, 500), (-9999, None)]


@pytest.mark.parametrize(("offset", "length"), SLICES + BEFORE)
def test_a_slice(device: str, offset: int, length: int | None) -> None:
    filtered = ROWS.lazy().filter(col("ordinal") >= 0)
    assert_agreement(filtered.slice(offset, length), device)
    assert_agreement(ROWS.lazy().filter(col("few") > 2).slice(offset, length), device)
    assert_agreement(ROWS.lazy().slice(offset, length), device)


@pytest.mark.parametrize("take", ["head", "tail"])
@pytest.mark.parametrize("rows", [0, 1, 4, 100])
def test_head_and_tail(device: str, take: str, rows: int) -> None:
    for height in (0, 1, 50):
        query = ROWS.head(height).lazy().filter(col("ordinal") >= 0)
        assert_agreement(getattr(query, take)(rows), device)


def test_columns_that_are_only_passed_on_are_sliced(device: str) -> None:
    rows = pl.concat([ROWS.select("ordinal").head(80), payload(80)], how="horizontal")
    assert_agreement(rows.lazy().filter(col("ordinal") > 2).slice(3, 40).filter(col("ordinal") < 30), device)


def test_slices_of_slices(device: str) -> None:
    query = ROWS.lazy().filter(col("few") > 0).slice(10, 500).filter(col("many") > 100).slice(-20, 10)
    assert_agreement(query, device)
