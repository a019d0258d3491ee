"""Select and with_columns against Polars."""

from __future__ import annotations

import re
from decimal import Decimal

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


def test_what_is_refused_says_why(strict: frazil.Engine) -> None:
    with pytest.raises(frazil.UnsupportedError) as caught:
        ROWS.lazy().select(x=col("few").rank()).collect(engine=strict)
    assert {reason.code for reason in caught.value.reasons} == {"function"}


@pytest.mark.parametrize(
    "query",
    [
        ROWS.lazy().select(x=pl.lit(1)),
        ROWS.lazy().select(x=pl.lit(1) + 2, y=pl.lit("a"), z=pl.lit(None)),
        ROWS.clear().lazy().select(x=pl.lit(2.5)),
        pl.LazyFrame().select(pl.date(2024, 2, 29)),
        ROWS.lazy().select(x=pl.lit(1)).with_columns(y=pl.col("x") + 1),
    ],
)
def test_literals_alone_are_one_row(query: pl.LazyFrame, device: str) -> None:
    assert_agreement(query, device)


def test_literals_over_what_may_fail_are_refused(strict: frazil.Engine) -> None:
    failing = ROWS.lazy().filter(col("text").cast(pl.Int64) > 0).select(x=pl.lit(1))
    with pytest.raises(frazil.UnsupportedError, match="broadcast"):
        failing.collect(engine=strict, optimizations=pl.QueryOptFlags.none())


FAILING = pl.LazyFrame({"a": [1, 300], "s": ["1", "x"], "f": [1.5, -3.0], "d": [Decimal("9" * 38)] * 2})
WORDS: dict[str, tuple[pl.Expr, str]] = {
    "whole numbers": (col("a").cast(pl.Int8), "conversion from `i64` to `i8` failed"),
    "texts": (col("s").cast(pl.Int32) + 1, "conversion from `str` to `i32` failed"),
    "floats": (col("f").cast(pl.UInt64), "conversion from `f64` to `u64` failed"),
    "decimals": (col("d").cast(pl.Decimal(38, 2)), "conversion from `decimal[38,0]` to `decimal[38,2]` failed"),
    "sums": (col("d") + col("d"), "overflow in decimal addition"),
    "differences": (-1 * col("d") - col("d"), "overflow in decimal subtraction"),
    "products": (col("d") * col("d"), "overflow in decimal multiplication"),
    "totals": (col("d").sum(), "overflow in decimal addition in sum"),
}


@pytest.mark.parametrize("name", WORDS)
def test_errors_have_the_words_of_polars(strict: frazil.Engine, name: str) -> None:
    expression, words = WORDS[name]
    for engine in (strict, "in-memory"):
        with pytest.raises((pl.exceptions.InvalidOperationError, pl.exceptions.ComputeError), match=re.escape(words)):
            FAILING.select(expression).collect(engine=engine)  # type: ignore[call-overload]


def test_of_several_casts_none_is_named(strict: frazil.Engine) -> None:
    query = FAILING.select("a", b=col("a").cast(pl.UInt8), c=col("a").cast(pl.Int8))
    with pytest.raises(pl.exceptions.InvalidOperationError, match="conversion failed"):
        query.collect(engine=strict)
