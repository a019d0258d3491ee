"""Sorts and top-k against Polars."""

from __future__ import annotations

from itertools import product
from pathlib import Path
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


def many_rows(rows: int) -> pl.DataFrame:
    """Enough for all digits of a radix sort and for several threads; every column has rows that are equal."""
    number = pl.int_range(rows, dtype=pl.Int64)
    mixed = number * 2654435761 % 1_000_003
    text = pl.concat_str(pl.lit("the same first letters of all "), (mixed % 5000).cast(pl.String))
    real = pl.when(mixed % 97 == 0).then(float("nan")).when(mixed % 89 == 0).then(-0.0).otherwise((mixed - 500_000) / 7)
    frame = pl.select(
        ordinal=number,
        whole=(mixed - 500_000) * 18_000_000_000_000,
        small=(mixed % 7).cast(pl.Int8),
        huge=(mixed % 9000 - 4000).cast(pl.Int128) * 2**100,
        real=real,
        single=real.cast(pl.Float32),
        truth=mixed % 3 == 0,
        text=text,
        letters=pl.concat_str(
            pl.lit("a").repeat_by(mixed % 40).list.join(""), pl.lit("\0").repeat_by(mixed % 3).list.join("")
        ),
        word=(mixed % 50).cast(pl.String),
    )
    return frame.with_columns(
        pl.when(mixed % number_of_nulls != 0).then(name).alias(f"{name}_or_null")
        for number_of_nulls, name in enumerate(frame.columns[1:], start=3)
    )


MANY = many_rows(150_000)


@pytest.mark.parametrize("key", MANY.columns[1:])
def test_many_rows_by_a_key(key: str) -> None:
    for descending, nulls_last in DIRECTIONS:
        query = (
            MANY.lazy()
            .select("ordinal", key)
            .sort(key, descending=descending, nulls_last=nulls_last, maintain_order=True)
        )
        expected = query.collect(engine="in-memory")
        for threads in (1, 4):
            with frazil.Engine(device="cpu", strict=True, threads=threads) as engine:
                actual = query.collect(engine=engine)
                assert actual.get_column("ordinal").equals(expected.get_column("ordinal"))
                first = query.head(1000).collect(engine=engine)
                assert first.get_column("ordinal").equals(expected.get_column("ordinal").head(1000))


@pytest.mark.parametrize(
    "keys",
    [
        ["small", "whole"],
        ["whole_or_null", "real_or_null"],
        ["huge_or_null", "single", "truth"],
        ["truth_or_null", "letters_or_null", "small"],
        ["text", "letters", "word"],
        ["word_or_null", "text_or_null", "huge"],
    ],
)
def test_many_rows_by_several_keys(keys: list[str]) -> None:
    for descending, nulls_last in DIRECTIONS:
        options: dict[str, Any] = {
            "descending": [descending, not descending, descending][: len(keys)],
            "nulls_last": [nulls_last, not nulls_last, not nulls_last][: len(keys)],
        }
        query = MANY.lazy().sort(keys, maintain_order=True, **options).select("ordinal")
        expected = query.collect(engine="in-memory")
        for threads in (1, 4):
            with frazil.Engine(device="cpu", strict=True, threads=threads) as engine:
                assert query.collect(engine=engine).equals(expected)


def test_texts_that_are_prefixes_of_each_other() -> None:
    texts = pl.select(s=pl.lit("a" * 8_000).str.head(pl.int_range(8_000) * 7919 % 8_000 + 1)).lazy()
    for descending in (False, True):
        query = texts.sort("s", descending=descending).select(pl.col("s").str.len_bytes())
        with frazil.Engine(device="cpu", strict=True) as engine:
            assert query.collect(engine=engine).equals(query.collect(engine="in-memory"))


def test_many_rows_by_a_dictionary(tmp_path: Path) -> None:
    MANY.write_parquet(tmp_path / "rows", row_group_size=40_000)
    for descending, nulls_last in DIRECTIONS:
        rows = pl.scan_parquet(tmp_path / "rows")
        query = rows.sort("word_or_null", "word", descending=descending, nulls_last=nulls_last, maintain_order=True)
        with frazil.Engine(device="cpu", strict=True) as engine:
            actual = query.select("ordinal", "word").collect(engine=engine)
            assert actual.equals(query.select("ordinal", "word").collect(engine="in-memory"))
