"""Tile programs: what `explain(program=True)` prints, and what running them costs beyond their input."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import frazil
from frazil import pdsh

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("query", [1, 6, 19])
def test_programs_are_as_recorded(query: int, tpch: Path) -> None:
    """The programs of Q1, Q6 and of Q19's predicate. FRAZIL_RECORD=1 writes them anew: read the difference."""
    text = frazil.Engine(device="cpu").explain(pdsh.QUERIES[query](tpch), program=True)
    golden = GOLDEN / f"pdsh_{query}.txt"
    if os.environ.get("FRAZIL_RECORD"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_filter_and_sum_need_no_memory_beyond_the_input() -> None:
    rows = 10_000_000
    frame = pl.LazyFrame({"a": np.arange(rows, dtype=np.int64), "b": np.ones(rows)})
    query = frame.filter(pl.col("a") >= rows // 2).select(pl.col("b").sum())
    engine = frazil.Engine(device="cpu", strict=True, memory_limit=8 << 20)
    assert query.collect(engine=engine).item() == rows / 2
    assert engine.bytes_in_use == 0


def test_after_a_selective_filter_other_columns_are_hardly_read() -> None:
    """2% of the rows pass, in runs: tiles without one are not read further."""
    rows = 1_000_000
    frame = pl.DataFrame({"key": np.arange(rows) // 20_000, **{f"v{i}": np.arange(rows) for i in range(4)}})
    engine = frazil.Engine(device="cpu", strict=True)

    def tiles(query: pl.LazyFrame) -> int:
        query.collect(engine=engine)
        assert engine.last_report is not None
        return engine.last_report.tiles_loaded

    sums = [pl.col(f"v{i}").sum() for i in range(4)]
    all_tiles = tiles(frame.lazy().select(sums))
    key_tiles = tiles(frame.lazy().select(pl.col("key").sum()))
    with_filter = tiles(frame.lazy().filter(pl.col("key") == 7).select(sums))
    assert with_filter - key_tiles < all_tiles / 10


@pytest.mark.parametrize("in_list", [["a"], ["b"]])
def test_calls_that_differ_only_in_options_are_told_apart(in_list: list[str]) -> None:
    frame = pl.LazyFrame({"s": ["a", "b", "b"], "v": [1, 10, 100]})
    sums = [
        pl.when(pl.col("s").is_in(values)).then(pl.col("v")).otherwise(0).sum().alias(name)
        for name, values in (("x", ["a"]), ("y", ["b"]), ("z", in_list))
    ]
    query = frame.select(sums)
    assert_frame_equal(query.collect(engine=frazil.Engine(strict=True)), query.collect())


def test_zeros_of_both_signs_are_different_literals() -> None:
    frame = pl.LazyFrame({"v": [1.0, 2.0]})
    query = frame.select(a=(pl.col("v") * pl.lit(0.0)).min(), b=(pl.col("v") * pl.lit(-0.0)).min())
    ours, polars = query.collect(engine=frazil.Engine(strict=True)), query.collect()
    assert [np.signbit(x) for x in ours.row(0)] == [np.signbit(x) for x in polars.row(0)]
