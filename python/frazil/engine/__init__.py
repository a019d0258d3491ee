"""The engine that Polars calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import polars as pl
from polars.lazyframe import QueryResult
from polars.lazyframe.query_result import SingleNodeQueryResult

from frazil import _frazil as core
from frazil.engine.background import BackgroundQuery, run_async
from frazil.engine.batches import Batches
from frazil.explain import explain
from frazil.polars.plan import Plan, plan
from frazil.report import NodeReport, Reason, Report, UnsupportedError

DEFAULTS: dict[str, Any] = {
    "device": "auto",
    "strict": False,
    "threads": 0,
    "memory_limit": 0,
    "batch_rows": 0,
    "spill_directory": "",
}
Target = str | Path | IO[bytes] | IO[str] | pl.PartitionBy


class Engine(pl.Engine):
    """Runs Polars' queries: `lf.collect(engine=frazil.Engine())`.

    device: "auto", "cpu", "cuda" or "cuda:N". A device that is not there is an error of this constructor.
    strict: True raises UnsupportedError for a query that Frazil cannot run, before anything of it runs; False leaves
        such a query to Polars, and `last_report` says so.
    threads: CPU threads; 0 means one for each core that this process may use.
    memory_limit: bytes that queries may hold at a time; 0 means no limit of its own. Raises OutOfMemoryError.
    batch_rows: rows in a batch; 0 leaves it to the engine.
    spill_directory: the folder of the files that rows move to while memory_limit presses; "" means the system's
        folder for temporary files. The files have no names there, and go with the query.

    An engine may be used from several threads at once. It pickles by its options, and closes as a context manager.
    """

    def __init__(
        self,
        *,
        device: str = "auto",
        strict: bool = False,
        threads: int = 0,
        memory_limit: int = 0,
        batch_rows: int = 0,
        spill_directory: str | Path = "",
        **unknown: object,
    ) -> None:
        for name in unknown:
            near = get_close_matches(name, DEFAULTS, n=1, cutoff=0.0)[0]
            raise TypeError(f"frazil.Engine has no option {name!r}; the nearest is {near!r}")
        given = (device, strict, threads, memory_limit, batch_rows, str(spill_directory))
        self._options: dict[str, Any] = dict(zip(DEFAULTS, given, strict=True))
        self._strict = strict
        self._core = core.Engine(
            device=device,
            threads=threads,
            memory_limit=memory_limit,
            batch_rows=batch_rows,
            spill_directory=str(spill_directory),
        )
        self._open = True
        self._last_report: Report | None = None

    @property
    def name(self) -> str:
        """ "frazil"."""
        return "frazil"

    @property
    def last_report(self) -> Report | None:
        """What the latest call did: a new Report for each call that ran, fell back or was refused; None before."""
        return self._last_report

    @property
    def device(self) -> str:
        """The device that the engine was made for, or chose."""
        return self._core.device

    @property
    def threads(self) -> int:
        """CPU threads that queries use."""
        return self._core.threads

    @property
    def bytes_in_use(self) -> int:
        """Bytes that the engine holds now."""
        return self._core.bytes_in_use

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self._options.items() if value != DEFAULTS[name]]
        return f"Engine({', '.join(given)})"

    def __reduce__(self) -> tuple[Callable[[], Engine], tuple[()]]:
        return partial(Engine, **self._options), ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.shutdown()

    def shutdown(self) -> None:
        """Give back threads and memory. Queries after this raise RuntimeError; calling it again does nothing."""
        if self._open:
            self._open = False
            self._core.shutdown()

    def explain(self, lf: pl.LazyFrame, *, program: bool = False, optimizations: pl.QueryOptFlags | None = None) -> str:
        """How this engine would run the query, or what it refuses, why, and what happens instead. Runs nothing.

        program: also print the tile programs of the pipelines.
        """
        optimizations = optimizations or pl.QueryOptFlags()
        engine = type(polars_engine(optimizations)).__name__
        otherwise = "collect raises UnsupportedError" if self._strict else f"Polars' {engine} runs the whole query"
        return explain(self._core, self._plan(lf, optimizations), program=program, otherwise=otherwise)

    def collect(
        self,
        lf: pl.LazyFrame,
        *,
        optimizations: pl.QueryOptFlags,
        background: bool = False,
        post_opt_callback: Callable[..., None] | None = None,
    ) -> Any:
        """The result as a DataFrame, or a handle with `fetch`, `fetch_blocking` and `cancel` if `background`.

        post_opt_callback: is meant for Polars' own engines, and hands the query to InMemoryEngine.
        """
        if background:
            return BackgroundQuery(
                partial(self.collect, lf, optimizations=optimizations, post_opt_callback=post_opt_callback)
            )
        if post_opt_callback is not None:
            self._last_report = self._refused(
                [Reason("callback", "", "", "a post_opt_callback is for Polars' engines")]
            )
            return pl.InMemoryEngine().collect(lf, optimizations=optimizations, post_opt_callback=post_opt_callback)
        frame, self._last_report = self._collected(lf, optimizations)
        return frame

    def execute(self, lf: pl.LazyFrame, *, optimizations: pl.QueryOptFlags | None = None) -> QueryResult:
        """The result as an object with `head`, `n_rows_total` and `lazy()`, which any engine can read again."""
        return SingleNodeQueryResult(self.collect(lf, optimizations=optimizations or pl.QueryOptFlags()))

    def collect_all(self, lfs: Iterable[pl.LazyFrame], *, optimizations: pl.QueryOptFlags) -> list[pl.DataFrame]:
        """The results of several queries, one after the other; `last_report` tells of all of them."""
        collected = [self._collected(lf, optimizations) for lf in lfs]
        self._last_report = Report.of_all(report for _, report in collected)
        return [frame for frame, _ in collected]

    def collect_async(self, lf: pl.LazyFrame, *, optimizations: pl.QueryOptFlags, gevent: bool = False) -> Any:
        """An awaitable of the result, or a gevent result."""
        return run_async(partial(self.collect, lf, optimizations=optimizations), gevent=gevent)

    def collect_all_async(
        self, lfs: Iterable[pl.LazyFrame], *, optimizations: pl.QueryOptFlags, gevent: bool = False
    ) -> Any:
        """An awaitable of the list of results, or a gevent result."""
        return run_async(partial(self.collect_all, list(lfs), optimizations=optimizations), gevent=gevent)

    def collect_batches(
        self,
        lf: pl.LazyFrame,
        *,
        optimizations: pl.QueryOptFlags,
        maintain_order: bool = True,
        chunk_size: int | None = None,
        lazy: bool = False,
    ) -> Any:
        """An iterator of frames of `chunk_size` rows in order, with `__arrow_c_stream__`."""
        return Batches(partial(self.collect, lf, optimizations=optimizations), chunk_size, lazy=lazy)

    def sink_batches(
        self,
        lf: pl.LazyFrame,
        function: Callable[[pl.DataFrame], bool | None],
        *,
        chunk_size: int | None,
        maintain_order: bool,
        optimizations: pl.QueryOptFlags,
    ) -> None:
        """Call `function` with each batch, in order, until it returns True."""
        for batch in Batches(partial(self.collect, lf, optimizations=optimizations), chunk_size, lazy=True):
            if function(batch):
                break

    def sink_parquet(self, lf: pl.LazyFrame, path: Target, **options: Any) -> None:
        """Write the rows with Polars' Parquet writer; options as of LazyFrame.sink_parquet."""
        self._sink("sink_parquet", lf, path, **options)

    def sink_ipc(self, lf: pl.LazyFrame, path: Target, **options: Any) -> None:
        """Write the rows with Polars' IPC writer; options as of LazyFrame.sink_ipc."""
        self._sink("sink_ipc", lf, path, **options)

    def sink_csv(self, lf: pl.LazyFrame, path: Target, **options: Any) -> None:
        """Write the rows with Polars' CSV writer; options as of LazyFrame.sink_csv."""
        self._sink("sink_csv", lf, path, **options)

    def sink_ndjson(self, lf: pl.LazyFrame, path: Target, **options: Any) -> None:
        """Write the rows with Polars' NDJSON writer; options as of LazyFrame.sink_ndjson."""
        self._sink("sink_ndjson", lf, path, **options)

    def _sink(
        self, sink: str, lf: pl.LazyFrame, target: Target, *, optimizations: pl.QueryOptFlags, **options: Any
    ) -> None:
        frame, self._last_report = self._run(lf, optimizations)
        rows = lf if frame is None else frame.lazy()
        getattr(pl.StreamingEngine(), sink)(rows, target, optimizations=optimizations, **options)

    def _collected(self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags) -> tuple[pl.DataFrame, Report]:
        """The result, by Polars if it has to be."""
        frame, report = self._run(lf, optimizations)
        return polars_engine(optimizations).collect(lf, optimizations=optimizations) if frame is None else frame, report

    def _run(self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags) -> tuple[pl.DataFrame | None, Report]:
        """The result, or None if Polars has to run the query."""
        if not self._open:
            raise RuntimeError("this engine was shut down")
        planned = self._plan(lf, optimizations)
        if planned.node is None:
            return None, self._refused(planned.reasons)
        try:
            result = self._core.run(planned.node)
        except core.UnsupportedError as error:  # known only from the files; nothing of the result was given away
            return None, self._refused([Reason("run", "", "", str(error))])
        frame = pl.DataFrame(result)
        if frame.schema != pl.Schema(planned.schema):  # Polars would believe us
            raise RuntimeError(f"Frazil made columns {frame.schema}, and the plan says {planned.schema}: please report")
        return frame, Report(
            native=True,
            nodes=tuple(NodeReport(**entry) for entry in result.report),
            notes=tuple(result.notes),
            launches=result.launches,
            kernel_seconds=result.kernel_seconds,
            device_bytes=result.device_bytes,
            tiles_loaded=result.tiles_loaded,
            bytes_peak=result.bytes_peak,
            bytes_spilled=result.bytes_spilled,
        )

    def _refused(self, reasons: Iterable[Reason]) -> Report:
        """The report of a query that Polars is to run; raises if this engine is strict."""
        report = Report(native=False, reasons=tuple(reasons))
        if self._strict:
            self._last_report = report
            raise UnsupportedError(report.reasons)
        return report

    def _plan(self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags) -> Plan:
        """A plan that the core has accepted, or the reasons of the first one tried."""
        first = self._checked(plan(lf, optimizations))
        if first.node is not None:
            return first
        second = self._checked(plan(lf, optimizations, simplify=False))
        return first if second.node is None else second

    def _checked(self, planned: Plan) -> Plan:
        reasons = [] if planned.node is None else [Reason(**refusal) for refusal in self._core.check(planned.node)]
        return replace(planned, node=None, reasons=reasons) if reasons else planned


def polars_engine(optimizations: pl.QueryOptFlags) -> pl.Engine:
    """The engine that Polars would take itself: the in-memory one for what its eager methods do inside."""
    return pl.InMemoryEngine() if optimizations._pyoptflags.eager else pl.StreamingEngine()
