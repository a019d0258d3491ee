"""Unions against Polars."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from oracle import assert_agreement
from polars import col
from samples import ALL, pairs, payload, random_rows

ROWS = random_rows(3000).lazy()


def test_rows_follow_each_other(device: str) -> None:
    parts = [ROWS.head(100), ROWS.tail(50), ROWS.filter(col("few") == 7), ROWS.select(pl.all())]
    assert_agreement(pl.concat(parts), device)
    assert_agreement(pl.concat(parts).slice(90, 30), device)
    assert_agreement(pl.concat([ROWS, ROWS]).head(3005).tail(10), device)


def test_a_union_of_what_was_computed(device: str) -> None:
    counted = [ROWS.group_by(key).agg(n=pl.len()).select("n") for key in ("few", "text")]
    assert_agreement(pl.concat(counted), device, ordered=False)
    both = pl.concat([ROWS.filter(col("few") > 1), ROWS.filter(col("price") > 0)])
    assert_agreement(both.group_by("few", maintain_order=True).agg(pl.len(), col("ordinal").max()), device)
    assert_agreement(
        both.join(ROWS.select("ordinal", x="real"), on="ordinal", how="left", maintain_order="left"), device
    )


def test_columns_in_another_order(device: str) -> None:
    assert_agreement(pl.concat([ROWS, ROWS.select("text", "few")], how="diagonal"), device)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_dtype(device: str, dtype: Any) -> None:
    rows = pairs(dtype).lazy()
    assert_agreement(pl.concat([rows, rows.filter(col("a") == col("b")), rows.head(0)]), device)


def test_columns_that_are_only_passed_on(device: str) -> None:
    rows = payload(40).drop("categorical").lazy()
    assert_agreement(pl.concat([rows.head(7), rows]), device)
