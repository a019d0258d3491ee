"""Frames in memory against Polars."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from oracle import assert_agreement
from polars import col
from samples import ALL, pairs, payload, random_rows, variants

import frazil
from frazil.polars.dtype import require_passable_dtype
from frazil.polars.refusal import Refused


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_frames_of_every_dtype_come_back_as_they_were(device: str, dtype: Any) -> None:
    for rows in variants(pairs(dtype)):
        assert_agreement(rows.lazy(), device)
        assert_agreement(rows.lazy().select("b"), device)


@pytest.mark.parametrize("rows", [0, 1, 40])
def test_frames_of_dtypes_that_are_only_passed_on(device: str, rows: int) -> None:
    assert_agreement(payload(rows).lazy(), device)
    assert_agreement(payload(rows)[1:-1].lazy(), device)


def test_chunks_that_differ_from_column_to_column(device: str) -> None:
    rows = random_rows(100)
    chunked = pl.concat([rows[:3], rows[3:50], rows[50:]], rechunk=False)
    mixed = chunked.with_columns(whole=pl.Series(range(100)), text=pl.concat([rows["text"][:70], rows["text"][70:]]))
    assert_agreement(mixed.lazy().filter(col("ordinal") > 1).select("text", "whole", "few"), device)


def test_a_frame_without_columns(device: str) -> None:
    assert_agreement(pl.LazyFrame(), device)
    assert_agreement(pl.LazyFrame({"a": [1, 2, 3]}).select(pl.len()), device)


def test_one_frame_read_twice(device: str) -> None:
    rows = random_rows(50).lazy()
    assert_agreement(rows.join(rows, on="ordinal", how="semi"), device, ordered=False)


def test_object_columns_are_refused(strict: frazil.Engine) -> None:
    with pytest.raises(frazil.UnsupportedError) as caught:
        pl.LazyFrame({"a": [object()]}, schema={"a": pl.Object}).collect(engine=strict)
    assert "dtype" in {reason.code for reason in caught.value.reasons}


@pytest.mark.parametrize(
    "dtype",
    [
        pl.List(pl.Object),
        pl.Struct({"a": pl.Array(pl.Object, 2)}),
        pl.Array(pl.Int8, 0),
        pl.List(pl.Struct({"a": pl.Array(pl.Int8, 0)})),
    ],
)
def test_what_arrow_does_not_bring_back_is_refused(dtype: pl.DataType) -> None:
    with pytest.raises(Refused, match="Object|width 0"):
        require_passable_dtype(dtype)
    require_passable_dtype(pl.List(pl.Struct({"a": pl.Array(pl.Int8, 1)})))


def test_arrays_of_width_0_stay_with_polars(engine: frazil.Engine, strict: frazil.Engine) -> None:
    rows = pl.DataFrame({"a": pl.Series([[], None], dtype=pl.Array(pl.Int8, 0))})
    assert rows.lazy().collect(engine=engine).equals(rows)
    with pytest.raises(frazil.UnsupportedError, match="dtype"):
        rows.lazy().collect(engine=strict)


def test_objects_inside_of_others_are_polars_error(engine: frazil.Engine) -> None:
    objects = pl.DataFrame({"o": pl.Series([object()], dtype=pl.Object)}).lazy()
    with pytest.raises(pl.exceptions.InvalidOperationError, match="nested objects"):
        objects.select(pl.struct("o")).collect(engine=engine)


@pytest.mark.parametrize(
    "rows",
    [
        pl.DataFrame({"a\0b": [1]}),
        pl.DataFrame({"a": [{"b\0": 1}]}),
        pl.DataFrame({"a": [[{"b\0": 1}]]}),
    ],
)
def test_names_with_a_nul_are_refused_and_end_nothing(
    engine: frazil.Engine, strict: frazil.Engine, rows: pl.DataFrame
) -> None:
    for query in (
        rows.lazy(),
        rows.lazy().filter(pl.int_range(pl.len()) < 1),
        pl.LazyFrame({"a": [1]}).rename({"a": "\0"}),
    ):
        assert query.collect(engine=engine).equals(query.collect(engine="in-memory"))
        with pytest.raises(frazil.UnsupportedError, match="NUL"):
            query.collect(engine=strict)
