"""Select and with_columns against Polars."""

from __future__ import annotations

import polars as pl
import pytest
from oracle import assert_agreement
from polars import col
from samples import payload, random_rows

import frazil

ROWS = random_rows(3000)


@pytest.mark.parametrize(
    "columns",
    [
        [col("text"), col("ordinal")],
        [col("ordinal").alias("a"), col("ordinal").alias("b"), col("few").alias("ordinal")],
        [(col("ordinal") + col("few")).alias("sum"), col("text"), (col("price") * 2).alias("twice")],
        [(col("real") > 0).alias("positive"), (col("text") == "a").alias("is a")],
        [pl.lit(1).alias("one"), col("ordinal"), pl.lit("text").alias("word")],
    ],
)
def test_a_selection_gives_its_columns_in_order(device: str, columns: list[pl.Expr]) -> None:
    assert_agreement(ROWS.lazy().select(columns), device)
    assert_agreement(ROWS.lazy().with_columns(columns), device)
    assert_agreement(ROWS.clear().lazy().select(columns), device)


def test_columns_of_any_dtype_are_passed_on(device: str) -> None:
    for rows in (payload(50), payload(50)[3:40], payload(0)):
        assert_agreement(rows.lazy().select(pl.all().name.prefix("_")), device)


def test_columns_are_made_of_columns_made_before(device: str) -> None:
    query = ROWS.lazy().select("ordinal", a=col("ordinal") * 3).with_columns(b=col("a") - col("ordinal"))
    assert_agreement(query.select("b", c=col("a") + col("b")), device)


@pytest.mark.parametrize("height", [3000, 1, 0])
def test_aggregates_beside_rows_are_those_of_all_rows(device: str, height: int) -> None:
    rows = ROWS.lazy().head(height)
    lowest = col("price") - col("price").min()
    assert_agreement(rows.select(col("ordinal") - col("ordinal").min(), most=col("price").max(), n=pl.len()), device)
    assert_agreement(rows.select(col("few"), of_aggregates=lowest.max() - lowest), device)
    assert_agreement(rows.with_columns(total=col("ordinal").sum()).filter(col("few") > 1), device)
    assert_agreement(rows.filter(col("ordinal") * 2 > col("ordinal").max(), col("price").max() > 0), device)
    assert_agreement(rows.filter(col("ordinal").max() < 0).select("few"), device)


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        (col("few").rank(), "function"),
    ],
)
def test_what_is_refused_says_why(strict: frazil.Engine, expression: pl.Expr, code: str) -> None:
    with pytest.raises(frazil.UnsupportedError) as caught:
        ROWS.lazy().select(x=expression).collect(engine=strict)
    assert {reason.code for reason in caught.value.reasons} == {code}
