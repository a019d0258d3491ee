"""Sorts and top-k against Polars."""

from __future__ import annotations

from itertools import product
from typing import Any

import polars as pl
import pytest
from oracle import assert_agreement
from samples import ALL, pairs, payload, random_rows, variants

import frazil

ROWS = random_rows(3000)
DIRECTIONS = list(product([False, True], [False, True]))


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_keys_of_every_dtype(device: str, dtype: Any) -> None:
    for rows in variants(pairs(dtype)):
        for descending, nulls_last in DIRECTIONS:
            query = rows.lazy().sort("a", descending=descending, nulls_last=nulls_last, maintain_order=True)
            assert_agreement(query, device)


@pytest.mark.parametrize(("descending", "nulls_last"), DIRECTIONS)
def test_several_keys(device: str, descending: bool, nulls_last: bool) -> None:
    options: dict[str, Any] = {
        "descending": [descending, not descending, descending],
        "nulls_last": [nulls_last, nulls_last, not nulls_last],
        "maintain_order": True,
    }
    for keys in (["few", "text", "ordinal"], ["text", "price", "few"], ["real", "text", "many"]):
        assert_agreement(ROWS.lazy().sort(keys, **options), device)


def test_equal_keys_keep_their_order_if_asked_for(device: str) -> None:
    assert_agreement(ROWS.lazy().sort("few", maintain_order=True), device)
    assert_agreement(ROWS.lazy().sort("few", "text", descending=True, maintain_order=True), device)


def test_keys_that_are_expressions(device: str) -> None:
    query = ROWS.lazy().sort(pl.col("price") * pl.col("price"), pl.col("ordinal") + 1)
    assert_agreement(query, device)


def test_columns_that_are_only_passed_on_move_along(device: str) -> None:
    rows = pl.concat([ROWS.select("real", "ordinal").head(80), payload(80)], how="horizontal")
    assert_agreement(rows.lazy().sort("real"), device)
    assert_agreement(rows.lazy().sort("real", descending=True).head(5), device)


@pytest.mark.parametrize(
    ("offset", "length"), [(0, 1), (0, 10), (5, 20), (0, 5000), (2990, 20), (4000, 1), (10, None), (0, 0)]
)
def test_a_slice_of_a_sort(device: str, offset: int, length: int | None) -> None:
    query = ROWS.lazy().sort("text", "ordinal", descending=[True, False]).slice(offset, length)
    assert_agreement(query, device)
    assert_agreement(ROWS.lazy().filter(pl.col("few") > 1).sort("real").slice(offset, length).select("ordinal"), device)


@pytest.mark.parametrize(("offset", "length"), [(-3, None), (-3, 2), (-5000, 2001), (-1, 0)])
def test_a_slice_from_the_end_of_a_sort(device: str, offset: int, length: int | None) -> None:
    assert_agreement(ROWS.lazy().sort("text", "ordinal").slice(offset, length), device)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("batch_rows", [0, 1000])
def test_the_first_of_many_equal_rows(device: str, threads: int, batch_rows: int) -> None:
    rows = pl.concat([ROWS] * 60).lazy()  # more than lanes keep
    engine = frazil.Engine(device=device, strict=True, threads=threads, batch_rows=batch_rows)
    for query in (
        rows.sort("few", maintain_order=True).head(1000),
        rows.sort("text", "few", descending=True, maintain_order=True).slice(20_000, 10),
        rows.sort("real", nulls_last=True, maintain_order=True).head(100),
    ):
        assert query.collect(engine=engine).equals(query.collect())


@pytest.mark.parametrize("rows", [0, 1, 2, 3000])
def test_a_sort_of_groups(device: str, rows: int) -> None:
    grouped = ROWS.head(rows).lazy().group_by("many").agg(n=pl.len(), total=pl.col("price").sum())
    assert_agreement(grouped.sort("n", "total", "many", descending=[True, False, False]).head(10), device)
