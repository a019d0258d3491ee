"""Joins that are to check their keys, which Polars shows in its physical plan alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col
from polars.lazyframe.resolver import LazyFrameResolver

import frazil
from frazil.polars.validation import has_checked_joins

LEFT = pl.LazyFrame({"k": [1, 1, 2], "v": [1, 2, 3]})
RIGHT = pl.LazyFrame({"k": [1, 2], "w": [3, 4]})
CHECKS = [(how, check) for how in ("inner", "left", "full") for check in ("1:1", "1:m", "m:1")]


@pytest.mark.parametrize(("how", "check"), CHECKS)
def test_a_join_that_checks_is_refused_and_polars_checks(
    engine: frazil.Engine, strict: frazil.Engine, how: Any, check: Any
) -> None:
    query = LEFT.join(RIGHT, on="k", how=how, validate=check)
    with pytest.raises(frazil.UnsupportedError, match="join_validate"):
        query.collect(engine=strict)
    if check == "m:1":
        assert query.collect(engine=engine).height == 3
    else:
        with pytest.raises(pl.exceptions.ComputeError, match="validation"):
            query.collect(engine=engine)


@pytest.mark.parametrize(("how", "check"), CHECKS)
def test_a_check_is_seen_wherever_it_stands(how: Any, check: Any, tmp_path: Path) -> None:
    flags = pl.QueryOptFlags()
    path = tmp_path / "a.parquet"
    LEFT.collect(engine="in-memory").write_parquet(path)
    checked = pl.scan_parquet(path).join(RIGHT, on="k", how=how, validate=check)
    for query in (
        checked,
        checked.filter(col("v") > 1).select("k"),
        checked.group_by("k").agg(col("v").sum()).sort("k").head(3),
        LEFT.join(checked, on="k"),
        pl.concat([checked.select("k"), checked.select("k")]),
        checked.select("k").map_batches(lambda rows: rows),
    ):
        assert has_checked_joins(query, flags)
    assert has_checked_joins(checked, pl.QueryOptFlags.none())
    assert not flags._pyoptflags.streaming


PLAIN = {
    **{how: LEFT.join(RIGHT, on="k", how=how) for how in ("inner", "left", "full", "right", "semi", "anti")},
    "m:m": LEFT.join(RIGHT, on="k", validate="m:m"),
    "cross": LEFT.join(RIGHT, how="cross"),
    "filtered cross": LEFT.join(RIGHT, how="cross").filter(col("v") > col("w")),
    "residual": LEFT.join(RIGHT, on="k").filter(col("v") > col("w")),
    "inequality": LEFT.join_where(RIGHT, col("v") < col("w")),
    "loop": pl.SQLContext(l=LEFT, r=RIGHT).execute("SELECT * FROM l LEFT JOIN r ON l.k = r.k AND l.v < r.w"),
    "as-of": LEFT.sort("k").join_asof(RIGHT.sort("k"), on="k"),
    "nulls": LEFT.join(RIGHT, on="k", nulls_equal=True, maintain_order="left"),
    "expression": LEFT.join(RIGHT, left_on=col("k") + 1, right_on="k"),
    "sorted": LEFT.sort("k").join(RIGHT.sort("k"), on="k"),
    "sliced": LEFT.join(RIGHT, on="k").head(1),
    "lists": LEFT.with_columns(l=pl.concat_list("k")).join(RIGHT.with_columns(l=pl.concat_list("k")), on="l"),
}


@pytest.mark.parametrize("name", PLAIN)
def test_other_joins_check_nothing(name: str) -> None:
    assert not has_checked_joins(PLAIN[name], pl.QueryOptFlags())


def test_sources_that_call_python_are_asked_without_a_deadlock(engine: frazil.Engine) -> None:
    class Resolver(LazyFrameResolver):
        def schema(self) -> pl.Schema:
            return RIGHT.collect_schema()

        def resolve_lazyframe(self, **_: Any) -> pl.LazyFrame:
            return RIGHT

    assert Resolver().lazy().join(RIGHT, on="k").sort("k").collect(engine=engine)["w"].to_list() == [3, 4]
    assert engine.last_report is not None
    assert engine.last_report.native


def test_where_polars_does_not_tell_a_check_is_assumed() -> None:
    class Silent:
        def with_optimizations(self, _: Any) -> Any:
            return self

        def to_dot_streaming_phys(self, _: bool) -> str:
            raise pl.exceptions.ComputeError("no such plan")

    query = LEFT.join(RIGHT, on="k")
    silent = pl.LazyFrame._from_pyldf(Silent())  # type: ignore[arg-type]
    assert has_checked_joins(silent, pl.QueryOptFlags())
    assert not has_checked_joins(query, pl.QueryOptFlags())
