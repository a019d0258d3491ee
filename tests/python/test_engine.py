"""The engine as Polars and its user see it."""

from __future__ import annotations

import asyncio
import gc
import io
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col
from polars.lazyframe import QueryResult

import frazil
from frazil import Reason, Report

FRAME = pl.DataFrame({"k": [1, 2, 1, 3], "v": [10, 20, 30, 40]})
NATIVE = FRAME.lazy().filter(col("v") > 10).select("k", doubled=col("v") + col("v"))
ANSWER = pl.DataFrame({"k": [2, 1, 3], "doubled": [40, 60, 80]})
REFUSED = FRAME.lazy().select(
    col("v").map_elements(lambda value: [11, 21, 31, 41][value // 10 - 1], return_dtype=pl.Int64)
)
REFUSED_ANSWER = pl.DataFrame({"v": [11, 21, 31, 41]})

Call = Callable[[pl.LazyFrame, pl.Engine, Path], pl.DataFrame]


def collect_async(query: pl.LazyFrame, engine: pl.Engine, folder: Path) -> pl.DataFrame:
    async def wait() -> pl.DataFrame:
        return await query.collect_async(engine=engine)

    return asyncio.run(wait())


def collect_all_async(query: pl.LazyFrame, engine: pl.Engine, folder: Path) -> pl.DataFrame:
    async def wait() -> list[pl.DataFrame]:
        return await pl.collect_all_async([query], engine=engine)

    return asyncio.run(wait())[0]


def sink_batches(query: pl.LazyFrame, engine: pl.Engine, folder: Path) -> pl.DataFrame:
    batches: list[pl.DataFrame] = []
    query.sink_batches(batches.append, chunk_size=2, engine=engine)
    assert all(batch.height <= 2 for batch in batches)
    return pl.concat(batches)


def sink_csv(query: pl.LazyFrame, engine: pl.Engine, folder: Path) -> pl.DataFrame:
    buffer = io.BytesIO()
    query.sink_csv(buffer, separator="|", engine=engine)
    return pl.read_csv(buffer.getvalue(), separator="|")


def sink(kind: str) -> Call:
    def call(query: pl.LazyFrame, engine: pl.Engine, folder: Path) -> pl.DataFrame:
        path = folder / f"out.{kind}"
        getattr(query, f"sink_{kind}")(path, engine=engine)
        frame: pl.DataFrame = getattr(pl, f"read_{kind}")(path)
        return frame

    return call


ENTRIES: dict[str, Call] = {
    "collect": lambda q, e, _: q.collect(engine=e),
    "background": lambda q, e, _: q.collect(background=True, engine=e).fetch_blocking(),
    "execute": lambda q, e, _: q.execute(engine=e).lazy().collect(engine="in-memory"),
    "collect_all": lambda q, e, _: pl.collect_all((q for _ in range(2)), engine=e)[1],
    "collect_batches": lambda q, e, _: pl.concat(q.collect_batches(chunk_size=2, engine=e)),
    "lazy collect_batches": lambda q, e, _: pl.DataFrame(q.collect_batches(lazy=True, engine=e)),
    "collect_async": collect_async,
    "collect_all_async": collect_all_async,
    "sink_batches": sink_batches,
    "sink_csv": sink_csv,
    "sink_parquet": sink("parquet"),
    "sink_ipc": sink("ipc"),
    "sink_ndjson": sink("ndjson"),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_point_runs_on_frazil(strict: frazil.Engine, entry: str, tmp_path: Path) -> None:
    assert ENTRIES[entry](NATIVE, strict, tmp_path).equals(ANSWER)
    assert strict.last_report is not None
    assert strict.last_report.native


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_point_falls_back_and_says_so(engine: frazil.Engine, entry: str, tmp_path: Path) -> None:
    assert ENTRIES[entry](REFUSED, engine, tmp_path).equals(REFUSED_ANSWER)
    assert engine.last_report is not None
    assert not engine.last_report.native
    assert engine.last_report.reasons


@pytest.mark.parametrize("entry", ENTRIES)
def test_strict_is_strict_on_every_entry_point(strict: frazil.Engine, entry: str, tmp_path: Path) -> None:
    with pytest.raises(frazil.UnsupportedError):
        ENTRIES[entry](REFUSED, strict, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_names_code_node_column_and_what_was_met(strict: frazil.Engine) -> None:
    with pytest.raises(frazil.UnsupportedError) as caught:
        REFUSED.collect(engine=strict)
    (reason,) = caught.value.reasons
    assert (reason.code, reason.node, reason.expression) == ("hidden", "Select", "v")
    assert reason in str(caught.value)
    assert isinstance(caught.value, NotImplementedError)
    (again,) = pickle.loads(pickle.dumps(caught.value)).reasons
    assert (again, again.code) == (reason, reason.code)


def test_all_refusals_of_a_plan_are_named(strict: frazil.Engine) -> None:
    query = REFUSED.with_columns(x=col("v").shuffle(), y=col("v").rank()).reverse()
    with pytest.raises(frazil.UnsupportedError) as caught:
        query.collect(engine=strict)
    assert {"v", "x", "y"} <= {reason.expression for reason in caught.value.reasons}


def test_a_report_is_new_for_each_call_and_counts_rows(on_cpu: frazil.Engine) -> None:
    assert on_cpu.last_report is None
    NATIVE.collect(engine=on_cpu)
    first = on_cpu.last_report
    assert first is not None
    assert first.native
    assert first.device == "cpu"
    assert first.reasons == ()
    assert first.nodes[-1].rows == ANSWER.height
    NATIVE.collect(engine=on_cpu)
    assert on_cpu.last_report is not first


def test_the_report_of_collect_all_tells_of_all_queries(engine: frazil.Engine) -> None:
    pl.collect_all([NATIVE, REFUSED], engine=engine)
    report = engine.last_report
    assert report is not None
    assert not report.native
    assert report.nodes
    assert report.reasons


def test_a_report_prints_nodes_and_reasons() -> None:
    node = frazil.NodeReport("filter", "cpu", 3, 0.5)
    reason = Reason("function", "Select", "x", "there is no function agg.mode")
    report = Report(native=False, nodes=(node,), reasons=(reason,))
    assert "filter" in str(report)
    assert "agg.mode" in str(report)
    assert "native" in str(report)


def test_a_planning_error_keeps_its_class(strict: frazil.Engine) -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        FRAME.lazy().select("zz").collect(engine=strict)


def test_explain_shows_the_plan_or_the_reasons_and_runs_nothing(on_cpu: frazil.Engine) -> None:
    assert "Filter [frazil cpu] ~1 rows: (v > 10)" in on_cpu.explain(NATIVE)
    text = on_cpu.explain(REFUSED)
    assert "Polars' streaming engine runs the whole query" in text
    assert "hidden" in text
    assert on_cpu.last_report is None


@pytest.mark.parametrize("name", ["stict", "thread", "memorylimit"])
def test_an_unknown_option_names_the_nearest(name: str) -> None:
    nearest = {"stict": "strict", "thread": "threads", "memorylimit": "memory_limit"}[name]
    with pytest.raises(TypeError, match=nearest):
        frazil.Engine(**{name: 1})  # type: ignore[arg-type]


def test_an_engine_pickles_by_its_options_and_hashes() -> None:
    engine = frazil.Engine(device="cpu", strict=True, threads=2)
    again = pickle.loads(pickle.dumps(engine))
    assert repr(again) == repr(engine) == "Engine(device='cpu', strict=True, threads=2)"
    assert len({engine, again}) == 2


def test_an_engine_is_shut_down_by_its_context_once_and_for_all() -> None:
    with frazil.Engine(device="cpu") as engine:
        NATIVE.collect(engine=engine)
    engine.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        NATIVE.collect(engine=engine)


def test_nothing_is_held_after_a_query(engine: frazil.Engine) -> None:
    NATIVE.collect(engine=engine)
    gc.collect()
    assert engine.bytes_in_use == 0


def test_an_engine_can_be_the_affinity(engine: frazil.Engine) -> None:
    with pl.Config(engine_affinity=engine):
        assert NATIVE.collect().equals(ANSWER)
    assert engine.last_report is not None


def test_a_background_handle_may_be_dropped(engine: frazil.Engine) -> None:
    NATIVE.collect(background=True, engine=engine)
    handle = NATIVE.collect(background=True, engine=engine)
    handle.fetch_blocking()
    fetched = handle.fetch()
    assert fetched is not None
    assert fetched.equals(ANSWER)


def test_a_cancelled_query_gives_no_result(engine: frazil.Engine) -> None:
    begin = threading.Event()
    query = FRAME.lazy().map_batches(lambda frame: frame.head(10 * begin.wait(10)))
    handle = query.collect(background=True, engine=engine)
    assert handle.fetch() is None
    handle.cancel()
    begin.set()
    with pytest.raises(pl.exceptions.ComputeError, match="cancelled"):
        handle.fetch_blocking()


def test_execute_gives_a_query_result(strict: frazil.Engine) -> None:
    result = NATIVE.execute(engine=strict)
    assert isinstance(result, QueryResult)
    assert result.n_rows_total == ANSWER.height
    for reader in (strict, "in-memory", "streaming", strict):
        assert result.lazy().filter(col("k") > 1).collect(engine=reader)["doubled"].to_list() == [40, 80]


def test_lazy_batches_run_nothing_before_the_first_is_asked_for(strict: frazil.Engine) -> None:
    batches = REFUSED.collect_batches(lazy=True, engine=strict)
    with pytest.raises(frazil.UnsupportedError):
        next(iter(batches))


@pytest.mark.parametrize("query", [NATIVE, REFUSED])
def test_batches_have_the_rows_asked_for(engine: frazil.Engine, query: pl.LazyFrame) -> None:
    wanted = query.collect(engine="in-memory")
    assert next(query.collect_batches(chunk_size=2, engine=engine)).height == 2
    assert pl.concat(query.collect_batches(engine=engine)).equals(wanted)
    assert pl.DataFrame(query.collect_batches(lazy=True, engine=engine)).equals(wanted)
    batches = query.collect_batches(chunk_size=1, engine=engine)
    next(batches)
    rest = pl.concat(batches)
    assert rest.equals(wanted.slice(1))
    none = query.filter(False)
    assert list(none.collect_batches(engine=engine)) == []
    assert pl.DataFrame(none.collect_batches(engine=engine)).schema == wanted.schema


@pytest.mark.parametrize(("rows", "error"), [(0, ValueError), (-1, OverflowError)])
def test_batches_of_no_rows_raise_as_with_polars(engine: frazil.Engine, rows: int, error: type[Exception]) -> None:
    readers: list[Any] = [engine, "streaming"]
    for reader in readers:
        with pytest.raises(error):
            NATIVE.collect_batches(chunk_size=rows, engine=reader)
        with pytest.raises(error):
            NATIVE.sink_batches(lambda _: None, chunk_size=rows, engine=reader)


def test_an_error_of_the_function_keeps_its_class(engine: frazil.Engine) -> None:
    for query in (NATIVE, REFUSED):
        with pytest.raises(ZeroDivisionError):
            query.sink_batches(lambda _: bool(1 / 0), engine=engine)


@pytest.mark.parametrize("kind", ["parquet", "ipc", "csv", "ndjson"])
@pytest.mark.parametrize("query", [NATIVE, REFUSED])
def test_partitioned_and_lazy_sinks(engine: frazil.Engine, tmp_path: Path, kind: str, query: pl.LazyFrame) -> None:
    for lazy in (False, True):
        folder = tmp_path / str(lazy)
        key = query.collect_schema().names()[0]
        target = pl.PartitionBy(folder, key=key, include_key=True)
        plan = getattr(query, f"sink_{kind}")(target, lazy=lazy, mkdir=True, engine=engine)
        if lazy:
            plan.collect(engine=engine)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        read = getattr(pl, f"read_{kind}")
        found = pl.concat([read(path) for path in files]).sort(pl.all())
        assert found.equals(query.collect(engine="in-memory").sort(pl.all()))
        assert len(files) == found[key].n_unique()


def test_a_wrong_target_is_an_error_of_polars(engine: frazil.Engine) -> None:
    for query in (NATIVE, REFUSED):
        with pytest.raises(TypeError, match="path"):
            query.sink_parquet(1, engine=engine)  # type: ignore[call-overload]


def test_sink_batches_stops_when_told_to(engine: frazil.Engine) -> None:
    seen: list[int] = []

    def stop(batch: pl.DataFrame) -> bool:
        seen.append(batch.height)
        return True

    NATIVE.sink_batches(stop, chunk_size=1, engine=engine)
    assert seen == [1]


def test_a_callback_of_the_user_goes_to_polars(engine: frazil.Engine, strict: frazil.Engine) -> None:
    seen: list[Any] = []
    options: dict[str, Any] = {"post_opt_callback": lambda traverser: seen.append(traverser.version())}
    assert NATIVE.collect(engine=engine, **options).equals(ANSWER)
    assert seen
    with pytest.raises(frazil.UnsupportedError):
        NATIVE.collect(engine=strict, **options)


def test_threads_get_their_own_answers(strict: frazil.Engine) -> None:
    found: dict[int, list[int]] = {}

    def work(number: int) -> None:
        query = pl.LazyFrame({"v": range(1000)}).filter(col("v") >= number).select(col("v").sum())
        found[number] = [query.collect(engine=strict).item() for _ in range(10)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == {number: [sum(range(number, 1000))] * 10 for number in range(8)}


def test_import_is_light() -> None:
    script = (
        "import sys, time, polars; start = time.perf_counter(); import frazil; "
        "assert time.perf_counter() - start < 0.05; "
        "assert 'frazil._frazil' not in sys.modules; assert 'libcuda' not in open('/proc/self/maps').read()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


CALLS: dict[str, Callable[[pl.LazyFrame, frazil.Engine], Any]] = {
    "collect": lambda q, e: q.collect(engine=e),
    "background": lambda q, e: q.collect(engine=e, background=True).fetch_blocking(),
    "collect_all": lambda q, e: pl.collect_all([q, q.select("k")], engine=e),
    "batches": lambda q, e: list(q.collect_batches(engine=e)),
    "lazy batches": lambda q, e: pl.DataFrame(q.collect_batches(engine=e, lazy=True)),
    "one batch": lambda q, e: next(q.collect_batches(chunk_size=1, engine=e)),
    "sink": lambda q, e: q.sink_csv(io.BytesIO(), engine=e),
    "execute": lambda q, e: q.execute(engine=e).lazy().collect(engine=e),
    "explain": lambda q, e: (e.explain(q), e.explain(q, format="json")),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("native", [True, False])
def test_nothing_is_left_to_the_garbage_collector(on_cpu: frazil.Engine, call: str, native: bool) -> None:
    """Buffers must go with the last name for them: a cycle of references would keep them for a while."""
    query = NATIVE if native else NATIVE.with_columns(col("k").map_batches(lambda k: k, return_dtype=pl.Int64))
    CALLS[call](query, on_cpu)
    gc.collect()
    gc.disable()
    try:
        CALLS[call](query, on_cpu)
        assert gc.collect() == 0
        assert on_cpu.bytes_in_use == 0
    finally:
        gc.enable()
