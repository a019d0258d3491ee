"""Series in queries: columns beside those of a frame, masks, and lists of values."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from oracle import assert_agreement, differ, outcome
from polars import Series, col, lit

import frazil

FRAME = pl.DataFrame({"a": [1, 2, 3], "series 0": ["x", "y", None]})
ROWS = FRAME.lazy()

OURS: dict[str, pl.LazyFrame] = {
    "a new column": ROWS.with_columns(Series("c", [1, 2, None])),
    "a column anew": ROWS.with_columns(Series("a", [True, None, False])),
    "several": ROWS.with_columns(Series("c", [1, 2, 3]) * 2, Series("d", ["p", "q", "r"])),
    "a mask": ROWS.filter(Series([True, False, None])),
    "a mask and a test": ROWS.filter(Series([True, True, False]) & (col("a") > 1)),
    "alone": pl.LazyFrame().select(lit(Series("b", [1, 2, 3])) + 1),
    "alone, of another height": ROWS.select(lit(Series("q", [1, 2, 3, 4]))),
    "with columns": ROWS.select("a", q=lit(Series([1, 2, 3])) * col("a")),
    "with a literal": ROWS.select(lit(Series("q", [1, 2])), one=lit(1)),
    "a sum": pl.LazyFrame().select(lit(Series("b", [1, 2, 3])).sum()),
    "sums": ROWS.select(col("a").sum(), x=lit(Series([1, 2, 3])).max()),
    "nested": ROWS.with_columns(Series("l", [[1], [], None])),
    "nanoseconds": ROWS.with_columns(Series("t", [1, 2, 3]).cast(pl.Datetime("ns"))),
    "a column without a name": FRAME.rename({"a": ""}).lazy().select(col("") + Series([1, 2, 3])),
    "no rows": FRAME.clear().lazy().with_columns(Series("c", [], dtype=pl.Int64)),
    "of one value, alone": ROWS.select(lit(Series("q", [5])) + 1, one=lit(1)),
    "of one value, in a row": FRAME.head(1).lazy().with_columns(c=lit(Series("c", [1])) + col("a")),
    "of no value": FRAME.clear().lazy().select(col("a") + lit(Series("c", [], dtype=pl.Int64))),
    "a literal three times": pl.LazyFrame().select(a=pl.repeat(1.5, 3), b=pl.repeat("x", 3), c=pl.repeat(None, 3)),
    "a literal as often as there are rows": ROWS.with_columns(
        c=pl.repeat(date(2024, 1, 1), 3), d=pl.repeat(7, 3) + col("a")
    ),
    "a literal never": pl.LazyFrame().select(a=pl.repeat(1, 0, dtype=pl.Int8)),
    "is_in": ROWS.filter(col("a").is_in(Series([1, 3]).implode())),
    "is_in, of days": ROWS.select(lit(Series("d", [date(2024, 1, 1), None])).is_in([date(2024, 1, 1)])),
}


@pytest.mark.parametrize("name", OURS)
@pytest.mark.filterwarnings("ignore:`is_in`:DeprecationWarning")
def test_series_beside_columns(name: str, device: str) -> None:
    assert_agreement(OURS[name], device)


LEFT_TO_POLARS: dict[str, pl.LazyFrame] = {
    "of one value": ROWS.with_columns(Series("c", [1])),
    "of one value, repeated": ROWS.with_columns(lit(Series("c", [1]))),
    "a mask of one value": ROWS.filter(Series([True])),
    "beside a number of rows": ROWS.select(pl.len(), q=lit(Series("q", [1, 2, 3, 4]))),
    "a literal too often": pl.LazyFrame().select(pl.repeat(1, 1_000_001).sum()),
    "a literal once beside rows": ROWS.with_columns(c=pl.repeat(1, 1)),
    "too few": ROWS.with_columns(Series("c", [1, 2])),
    "too few beside a column": ROWS.select("a", Series("c", [1, 2])),
    "beside rows of a filter": ROWS.filter(col("a") > 1).with_columns(Series("c", [1, 2])),
    "in groups": ROWS.group_by("a", maintain_order=True).agg(lit(Series("c", [1, 2])).sum()),
}


@pytest.mark.parametrize("name", LEFT_TO_POLARS)
def test_other_series_are_left_to_polars(engine: frazil.Engine, strict: frazil.Engine, name: str) -> None:
    query = LEFT_TO_POLARS[name]
    assert differ(outcome(query, engine), outcome(query, "streaming"), ordered=True, approximate=()) is None
    with pytest.raises(frazil.UnsupportedError, match="literal"):
        query.collect(engine=strict)
