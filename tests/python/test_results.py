"""Results that stay with the engine: who may read them, how often, and when their memory goes."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl
import pytest
from polars import col
from polars.lazyframe import QueryResult

import frazil
from frazil import PersistedQueryResult

FRAME = pl.DataFrame({"k": [1, 1, 2], "v": [1, 2, 3], "s": ["a", None, "c"]})
ROWS = FRAME.lazy()
NOT_OURS = col("v").map_batches(lambda values: values + 1, return_dtype=pl.Int64)

pytestmark = pytest.mark.filterwarnings("ignore::frazil.UnstableWarning")


@pytest.fixture(params=["native", "left to Polars"])
def source(request: pytest.FixtureRequest) -> pl.LazyFrame:
    """A query over the frame that gives the frame."""
    return ROWS if request.param == "native" else ROWS.with_columns(NOT_OURS.alias("v")).with_columns(col("v") - 1)


def test_a_result_is_a_query_result(engine: frazil.Engine, source: pl.LazyFrame) -> None:
    result = engine.execute(source)
    assert isinstance(result, QueryResult)
    assert isinstance(result, PersistedQueryResult)
    assert result.schema == FRAME.schema
    assert result.n_rows_total == FRAME.height
    assert result.head is not None
    assert result.head.equals(FRAME)
    assert "3 rows" in repr(result)
    assert result.lazy().collect_schema() == FRAME.schema


QUERIES: dict[str, Callable[[pl.LazyFrame], pl.LazyFrame]] = {
    "all": lambda rows: rows,
    "columns": lambda rows: rows.select("s", "k"),
    "filter": lambda rows: rows.filter(col("v") > 1),
    "filter by another column": lambda rows: rows.filter(col("v") > 1).select("s"),
    "head": lambda rows: rows.head(2),
    "head, then filter": lambda rows: rows.head(2).filter(col("v") > 1),
    "filter, then head": lambda rows: rows.filter(col("v") > 1).head(1),
    "tail": lambda rows: rows.tail(2),
    "count": lambda rows: rows.select(pl.len()),
    "groups": lambda rows: rows.group_by("k").agg(col("v").sum()).sort("k"),
    "join": lambda rows: rows.join(ROWS, on="v").sort("v"),
    "joined": lambda rows: ROWS.join(rows, on="v").sort("v"),
    "python": lambda rows: rows.select(NOT_OURS),
    "python behind a filter": lambda rows: rows.filter(col("v") > 1).select(NOT_OURS),
    "schema": lambda rows: rows.with_columns(x=col("v") * 2).drop("s"),
}


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("keep", [False, True])
def test_lazy_has_the_whole_api(engine: frazil.Engine, name: str, keep: bool) -> None:
    query = QUERIES[name]
    result = engine.execute(ROWS, keep=keep)
    assert query(result.lazy()).collect(engine=engine).equals(query(ROWS).collect(engine="in-memory"))


@pytest.mark.parametrize("name", [name for name in QUERIES if "python" not in name])
def test_reading_a_result_is_native(strict: frazil.Engine, name: str) -> None:
    QUERIES[name](strict.execute(ROWS).lazy()).collect(engine=strict)
    assert strict.last_report is not None
    assert strict.last_report.native


Read = Callable[[pl.LazyFrame, frazil.Engine], Any]
READS: dict[str, Read] = {
    "collect": lambda rows, engine: rows.collect(engine=engine),
    "execute": lambda rows, engine: engine.execute(rows),
    "batches": lambda rows, engine: list(rows.collect_batches(engine=engine)),
    "collect_all": lambda rows, engine: pl.collect_all([rows, ROWS], engine=engine),
    "left to Polars": lambda rows, engine: rows.select(NOT_OURS).collect(engine=engine),
    "in parts": lambda rows, engine: rows.filter(col("v") > 1).select(NOT_OURS).collect(engine=engine),
    "failed": lambda rows, engine: fail(rows, engine),
}


def fail(rows: pl.LazyFrame, engine: frazil.Engine) -> None:
    """Read the rows by a query that finds something wrong in them."""
    with pytest.raises(pl.exceptions.PolarsError):
        rows.select(col("s").cast(pl.Int64)).collect(engine=engine)


@pytest.mark.parametrize("name", READS)
def test_a_result_is_read_once(engine: frazil.Engine, name: str) -> None:
    rows = engine.execute(ROWS).lazy()
    again = rows.filter(col("k") == 1)
    READS[name](rows, engine)
    for read in READS.values():
        with pytest.raises(RuntimeError, match="call execute again"):
            read(again, engine)
    assert ROWS.collect(engine=engine).equals(FRAME)


TWICE: dict[str, Callable[[pl.LazyFrame], pl.LazyFrame]] = {
    "self-join": lambda rows: rows.join(rows, on="k"),
    "union": lambda rows: pl.concat([rows, rows]),
    "join of parts": lambda rows: rows.filter(col("v") > 1).join(rows.select("k"), on="k"),
    "join back": lambda rows: rows.join(rows.group_by("k").agg(col("v").sum()), on="k"),
    "in parts": lambda rows: rows.join(rows.select(NOT_OURS, "k"), on="k"),
}


@pytest.mark.parametrize("name", TWICE)
def test_two_readers_in_a_query_raise_and_consume_nothing(engine: frazil.Engine, name: str) -> None:
    rows = engine.execute(ROWS).lazy()
    with pytest.raises(RuntimeError, match=r"reads a result of execute \d times.*keep=True"):
        TWICE[name](rows).collect(engine=engine)
    assert rows.collect(engine=engine).equals(FRAME)


def test_two_readers_in_several_queries_raise_and_consume_nothing(strict: frazil.Engine) -> None:
    rows = strict.execute(ROWS).lazy()
    with pytest.raises(RuntimeError, match="execute"):
        pl.collect_all([rows.select(col("v").sum()), rows.select(col("v").max())], engine=strict)
    assert rows.collect(engine=strict).equals(FRAME)


def test_planning_explaining_and_refusing_consume_nothing(strict: frazil.Engine) -> None:
    rows = strict.execute(ROWS).lazy()
    strict.explain(rows.select(NOT_OURS))
    rows.explain()
    rows.collect_schema()
    with pytest.raises(frazil.UnsupportedError):
        rows.select(NOT_OURS).collect(engine=strict)
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        rows.select("zz").collect(engine=strict)
    assert rows.collect(engine=strict).equals(FRAME)


def test_others_cannot_read_what_is_read_once(engine: frazil.Engine, strict: frazil.Engine) -> None:
    rows = engine.execute(ROWS).lazy()
    with pytest.raises(RuntimeError, match=r"another engine.*keep=True"):
        rows.collect(engine=strict)
    for polars in ("in-memory", "streaming"):
        with pytest.raises(RuntimeError, match="keep=True"):
            rows.collect(engine=polars)  # type: ignore[call-overload]
    assert rows.collect(engine=engine).equals(FRAME)


@pytest.mark.parametrize("name", TWICE)
def test_a_kept_result_is_read_by_all_and_again(
    engine: frazil.Engine, strict: frazil.Engine, source: pl.LazyFrame, name: str
) -> None:
    result = engine.execute(source, keep=True)
    wanted = TWICE[name](ROWS).collect(engine="in-memory").sort(pl.all())
    readers: list[Any] = [engine, "in-memory", "streaming", engine]
    for reader in readers:
        assert TWICE[name](result.lazy()).collect(engine=reader).sort(pl.all()).equals(wanted)
    assert result.lazy().filter(col("v") > 1).collect(engine=strict).height == 2


def test_the_call_of_polars_keeps_and_does_not_warn(engine: frazil.Engine) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ROWS.execute(engine=engine)
    for _ in range(2):
        assert result.lazy().collect(engine="streaming").equals(FRAME)
    assert ROWS.execute(engine=engine).lazy().collect(engine=engine).equals(FRAME)


def test_optimizations_may_be_given_without_keeping(engine: frazil.Engine) -> None:
    rows = engine.execute(ROWS, optimizations=pl.QueryOptFlags.none(), keep=False).lazy()
    rows.collect(engine=engine)
    with pytest.raises(RuntimeError, match="read before"):
        rows.collect(engine=engine)


def test_executes_chain(strict: frazil.Engine) -> None:
    groups = strict.execute(strict.execute(ROWS).lazy().group_by("k").agg(col("v").sum()))
    assert groups.lazy().sort("k").collect(engine=strict).rows() == [(1, 3), (2, 3)]


def test_a_released_result_cannot_be_read(engine: frazil.Engine) -> None:
    for keep in (False, True):
        with engine.execute(ROWS, keep=keep) as result:
            rows = result.lazy()
        result.release()
        for reader in (engine, "streaming"):
            with pytest.raises(RuntimeError, match=r"released.*execute again"):
                rows.collect(engine=reader)  # type: ignore[call-overload]
        assert result.head is None
        assert result.n_rows_total == FRAME.height


@pytest.mark.parametrize("keep", [False, True])
def test_shutdown_ends_results(device: str, keep: bool) -> None:
    engine = frazil.Engine(device=device)
    rows = engine.execute(ROWS, keep=keep).lazy()
    engine.shutdown()
    with frazil.Engine(device=device) as other:
        for reader in (other, "in-memory"):
            with pytest.raises(RuntimeError, match=r"shut down.*make a new one"):
                rows.collect(engine=reader)  # type: ignore[call-overload]
    with pytest.raises(RuntimeError, match="shut down"):
        rows.collect(engine=engine)


MADE = pl.LazyFrame({"v": range(100_000)}).select(col("v") + 1)  # rows that the engine makes, in memory of its own


@pytest.mark.parametrize("way", ["dropped", "derived dropped", "read", "released", "shut down"])
@pytest.mark.parametrize("keep", [False, True])
def test_memory_is_given_back(on_cpu: frazil.Engine, way: str, keep: bool) -> None:
    engine = on_cpu  # the memory of a GPU is not in bytes_in_use
    result = engine.execute(MADE, keep=keep)
    gc.collect()
    assert engine.bytes_in_use >= 800_000
    derived = result.lazy().filter(col("v") > 3)
    if way == "dropped":
        del result, derived
    elif way == "derived dropped":
        del result
        gc.collect()
        assert engine.bytes_in_use >= 800_000
        del derived
    elif way == "read":
        derived.select(pl.len()).collect(engine=engine)
        if keep:
            assert engine.bytes_in_use >= 800_000
            return
    elif way == "released":
        result.release()
    else:
        engine.shutdown()
        return
    gc.collect()
    assert engine.bytes_in_use == 0


def test_the_direct_call_warns(engine: frazil.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(frazil.UnstableWarning, match="execute"):
        engine.execute(ROWS)
    assert issubclass(frazil.UnstableWarning, pl.exceptions.UnstableWarning)
    monkeypatch.setenv("FRAZIL_WARN_UNSTABLE", "1")
    with pytest.raises(frazil.UnstableWarning):
        engine.execute(ROWS)
    ROWS.execute(engine=engine)


def test_frames_of_objects_can_be_kept(engine: frazil.Engine) -> None:
    objects = pl.DataFrame({"o": pl.Series([object(), None], dtype=pl.Object), "v": [1, 2]})
    result = engine.execute(objects.lazy(), keep=True)
    assert result.lazy().select("v").collect(engine=engine)["v"].to_list() == [1, 2]
    assert result.lazy().collect(engine="in-memory")["o"].to_list() == objects["o"].to_list()


def test_a_result_without_columns_keeps_its_height(strict: frazil.Engine) -> None:
    rows = strict.execute(pl.DataFrame(height=3).lazy()).lazy()
    assert rows.select(pl.len()).collect(engine=strict).item() == 3


def test_of_two_threads_one_reads(strict: frazil.Engine) -> None:
    def read(rows: pl.LazyFrame) -> bool:
        try:
            return rows.collect(engine=strict).equals(FRAME)
        except RuntimeError:
            return False

    for _ in range(20):
        rows = strict.execute(ROWS).lazy()
        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(read, [rows] * 4)) == 1


def test_a_gpu_keeps_what_it_made(strict: frazil.Engine, on_cpu: frazil.Engine, device: str) -> None:
    numbers = pl.DataFrame({"k": range(3000), "v": [None if n % 7 == 0 else n / 2 for n in range(3000)]})
    query = numbers.lazy().with_columns(w=col("v") * 2, t=pl.lit("long enough to lie in no view")).filter(col("k") > 9)
    result = strict.execute(query, keep=True)
    (rows,) = [rows for rows in strict._owner._rows if rows.height == 2990]
    assert isinstance(rows._rows, frazil._frazil.Table)
    assert rows._rows.is_on_device == (device != "cpu")
    expected = query.collect()
    assert result.head is not None
    assert result.head.equals(expected.head(10))
    again = result.lazy().group_by(col("k") % 3).agg(col("w").sum(), col("t").len()).sort("k")
    for engine in (strict, on_cpu, "streaming"):
        assert result.lazy().collect(engine=engine).equals(expected)  # type: ignore[arg-type]
        assert result.lazy().select("w", "k").collect(engine=engine).equals(expected.select("w", "k"))  # type: ignore[arg-type]
        got = again.collect(engine=engine)  # type: ignore[arg-type]
        assert got.equals(expected.group_by(col("k") % 3).agg(col("w").sum(), col("t").len()).sort("k"))
