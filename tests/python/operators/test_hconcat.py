"""Columns beside each other, against Polars."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from oracle import assert_agreement
from polars import col
from samples import ALL, pairs, payload, random_rows

ROWS = random_rows(3000)
LEFT, RIGHT = ROWS.lazy().select("ordinal", "text"), ROWS.lazy().select("price", "real")


def test_columns_beside_each_other(device: str) -> None:
    assert_agreement(pl.concat([LEFT, RIGHT, ROWS.lazy().select("few")], how="horizontal"), device)
    sides = [LEFT.filter(col("ordinal") % 2 == 0), RIGHT.sort("price", "real").head(1500)]
    assert_agreement(pl.concat(sides, how="horizontal"), device)
    assert_agreement(pl.concat(sides, how="horizontal").filter(col("price") > 0).select("text", "real"), device)
    assert_agreement(pl.concat([LEFT.head(0), RIGHT.head(0)], how="horizontal"), device)


def test_inputs_without_columns(device: str) -> None:
    for other in (LEFT.select([]), LEFT.drop("ordinal", "text"), pl.LazyFrame()):
        assert_agreement(pl.concat([LEFT, other], how="horizontal"), device)
    assert_agreement(pl.concat([LEFT.head(2), LEFT.drop("ordinal", "text")], how="horizontal"), device)


@pytest.mark.parametrize("heights", [(7, 3), (0, 3), (3000, 1)])
@pytest.mark.parametrize("how", ["horizontal", "horizontal_extend"])
def test_inputs_of_other_heights(device: str, heights: tuple[int, int], how: Any) -> None:
    sides = [LEFT.head(heights[0]), RIGHT.head(heights[1])]
    assert_agreement(pl.concat(sides, how=how), device)
    assert_agreement(pl.concat(sides[::-1], how=how), device)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_dtype(device: str, dtype: Any) -> None:
    rows = pairs(dtype).lazy()
    sides = [rows.select("a"), rows.select(c="b").head(2)]
    assert_agreement(pl.concat(sides, how="horizontal_extend"), device)


def test_columns_that_are_only_passed_on(device: str) -> None:
    rows = payload(40).lazy()
    assert_agreement(
        pl.concat([rows.select("list", "enum"), rows.select("struct").head(3)], how="horizontal_extend"), device
    )
