"""Rows that are made while they are taken: batches and sinks."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col

import frazil

ROWS = 2_000_000
TABLE = pl.select(k=pl.int_range(ROWS) % 1000, v=pl.int_range(ROWS))
QUERY = TABLE.lazy().filter(col("k") != 7).select(col("v") * 2, "k")
TOO_LARGE = TABLE.lazy().select((col("v") * 2_000).cast(pl.Int32), "k")


@pytest.fixture
def two(device: str) -> Iterator[frazil.Engine]:
    """An engine with few threads, whose pieces are small."""
    with frazil.Engine(device=device, strict=True, threads=2) as engine:
        yield engine


def tiles(engine: frazil.Engine) -> int:
    assert engine.last_report is not None
    return engine.last_report.tiles_loaded


def test_batches_are_made_when_they_are_asked_for(two: frazil.Engine) -> None:
    whole = QUERY.collect(engine=two)
    all_tiles = tiles(two)
    batches = QUERY.collect_batches(chunk_size=100_000, engine=two)
    first = next(batches)
    assert two.device != "cpu" or tiles(two) < all_tiles / 2
    rest = list(batches)
    assert tiles(two) == all_tiles
    assert {batch.height for batch in [first, *rest[:-1]]} == {100_000}
    assert pl.concat([first, *rest]).equals(whole)


def test_a_batch_may_be_asked_for_after_other_queries(two: frazil.Engine) -> None:
    taken = [
        batch.lazy().select(col("v").sum()).collect(engine=two).item()
        for batch in QUERY.collect_batches(chunk_size=300_000, engine=two)
    ]
    assert sum(taken) == QUERY.select(col("v").sum()).collect(engine=two).item()


def test_a_report_of_batches_is_not_taken_for_one_of_a_later_query(two: frazil.Engine) -> None:
    batches = QUERY.collect_batches(engine=two)
    next(batches)
    TABLE.lazy().select(pl.len()).collect(engine=two)
    report = two.last_report
    list(batches)
    assert two.last_report is report


@pytest.mark.parametrize("begun", [True, False])
def test_batches_that_are_closed_end_the_query(two: frazil.Engine, begun: bool) -> None:
    batches: Any = QUERY.collect_batches(engine=two, lazy=not begun)
    if begun:
        assert next(batches).height == 100_000
    batches.close()
    gc.collect()
    assert two.bytes_in_use == 0
    assert list(batches) == []
    assert begun or two.last_report is None


def test_batches_that_are_dropped_end_the_query(two: frazil.Engine) -> None:
    batches = QUERY.collect_batches(engine=two)
    next(batches)
    del batches
    gc.collect()
    assert two.bytes_in_use == 0


def test_batches_are_a_stream_of_the_rows_not_yet_given(two: frazil.Engine) -> None:
    batches = QUERY.collect_batches(chunk_size=70_000, engine=two)
    first = next(batches)
    assert pl.concat([first, pl.DataFrame(batches)]).equals(QUERY.collect(engine=two))


SINKS: dict[str, Callable[[pl.LazyFrame, Path, Any], object]] = {
    "batches": lambda q, _, e: list(q.collect_batches(engine=e)),
    "sink_batches": lambda q, _, e: q.sink_batches(lambda _: None, engine=e),
    "sink_parquet": lambda q, f, e: q.sink_parquet(f / "a", engine=e),
    "sink_ipc": lambda q, f, e: q.sink_ipc(f / "a", engine=e),
    "sink_csv": lambda q, f, e: q.sink_csv(f / "a", engine=e),
    "sink_ndjson": lambda q, f, e: q.sink_ndjson(f / "a", engine=e),
    "in the plan": lambda q, f, e: q.sink_parquet(f / "a", lazy=True).collect(engine=e),
}


@pytest.fixture
def late(two: frazil.Engine, device: str) -> frazil.Engine:
    """An engine that gives rows before a query fails."""
    if device != "cpu":
        pytest.skip("a device runs all of a query before there are rows")
    return two


@pytest.mark.parametrize("sink", SINKS)
def test_what_fails_late_keeps_its_class(two: frazil.Engine, tmp_path: Path, sink: str) -> None:
    with pytest.raises(pl.exceptions.InvalidOperationError):
        SINKS[sink](TOO_LARGE, tmp_path, two)
    gc.collect()
    assert two.bytes_in_use == 0


def test_what_fails_late_reaches_readers_of_arrow(late: frazil.Engine) -> None:
    with pytest.raises(pl.exceptions.ComputeError, match="InvalidOperationError.*does not fit"):
        pl.DataFrame(TOO_LARGE.collect_batches(engine=late))
    gc.collect()
    assert late.bytes_in_use == 0


def test_no_batches_follow_an_error(late: frazil.Engine) -> None:
    batches = TOO_LARGE.collect_batches(engine=late)
    with pytest.raises(pl.exceptions.InvalidOperationError):
        list(batches)
    assert list(batches) == []


@pytest.mark.parametrize("kind", ["parquet", "ipc", "csv", "ndjson"])
@pytest.mark.parametrize("lazy", [False, True])
def test_files_of_many_pieces(two: frazil.Engine, tmp_path: Path, kind: str, lazy: bool) -> None:
    path = tmp_path / "a"
    plan = getattr(QUERY, f"sink_{kind}")(path, lazy=lazy, engine=two)
    if lazy:
        plan.collect(engine=two)
    assert two.last_report is not None
    assert two.last_report.native
    assert two.last_report.nodes[-1].rows == ROWS - ROWS // 1000
    assert getattr(pl, f"read_{kind}")(path).equals(QUERY.collect(engine=two))


def test_a_sink_holds_a_part_of_the_rows(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "a", row_group_size=50_000)
    wide = pl.scan_parquet(tmp_path / "a").select("v", *(((col("v") * n) + 1).alias(str(n)) for n in range(20)))
    with frazil.Engine(device="cpu", strict=True, threads=2) as engine:
        whole = wide.collect(engine="in-memory")
        wide.sink_parquet(tmp_path / "b", engine=engine)
        assert engine.last_report is not None
        assert engine.last_report.bytes_peak < whole.estimated_size() / 2
        assert pl.read_parquet(tmp_path / "b").equals(whole)


def test_a_result_that_is_read_in_pieces(two: frazil.Engine) -> None:
    kept = QUERY.execute(engine=two)
    batches = kept.lazy().filter(col("k") > 3).collect_batches(engine=two)
    first = next(batches)
    kept.release()
    assert pl.concat([first, *batches]).equals(QUERY.filter(col("k") > 3).collect(engine=two))


def test_cancel_ends_a_query_in_the_background(device: str) -> None:
    few = pl.LazyFrame({"k": [1] * 200_000, "w": range(200_000)})
    endless = few.join(few, on="k").filter(col("w") + col("w_right") < 0).select(pl.len())
    with frazil.Engine(device=device, threads=2) as engine:
        before = set(threading.enumerate())
        native = endless.collect(background=True, engine=engine)
        in_part = endless.map_batches(lambda rows: rows).collect(background=True, engine=engine)
        threads = set(threading.enumerate()) - before
        time.sleep(0.2)
        for handle in (native, in_part):
            handle.cancel()
            with pytest.raises(pl.exceptions.ComputeError, match="cancelled"):
                handle.fetch_blocking()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
        gc.collect()
        assert engine.bytes_in_use == 0
        assert QUERY.collect(engine=engine).equals(QUERY.collect(engine="in-memory"))
