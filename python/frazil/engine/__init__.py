"""The engine that Polars calls."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, TypeVar
from weakref import WeakSet

import polars as pl

from frazil import _frazil as core
from frazil.engine.background import BackgroundQuery, run_async
from frazil.engine.batches import Batches, Lent, checked_rows, in_batches
from frazil.engine.interrupt import below_polars
from frazil.engine.ladder import Answer, AnswerInPieces, Ladder, polars_engine
from frazil.engine.options import Options
from frazil.explain import as_json, as_text
from frazil.profile import profile_of
from frazil.progress import Progress, teller, told
from frazil.report import Reason, Report, UnsupportedError
from frazil.results import Owner, PersistedQueryResult, Rows, warn_unstable

AnyAnswer = TypeVar("AnyAnswer", Answer, AnswerInPieces)
Target = str | Path | IO[bytes] | IO[str] | pl.PartitionBy


class Engine(pl.Engine):
    """Runs Polars' queries: `lf.collect(engine=frazil.Engine())`.

    The options are those of `frazil.engine.options.Options`. What is not given is taken from the environment, where
    `FRAZIL__STRICT=1` stands for `strict=True`, or is the default. A device that is not there is an error.

    An engine may be used from several threads at once. It pickles by its options, and closes as a context manager. A
    process that was forked cannot use the engines of its parent, whose threads it does not have.
    """

    def __init__(
        self,
        *,
        device: str | None = None,
        strict: bool | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        batch_rows: int | None = None,
        spill_directory: str | Path | None = None,
        progress: bool | Callable[[Progress], None] | None = None,
        warn: bool | None = None,
        **unknown: object,
    ) -> None:
        given: dict[str, object] = {"device": device, "strict": strict, "threads": threads, "progress": progress}
        given |= {"memory_limit": memory_limit, "batch_rows": batch_rows, "warn": warn}
        given["spill_directory"] = None if spill_directory is None else str(spill_directory)
        self._options = options = Options.of(given | unknown)
        self._core = core.Engine(
            options.device, options.threads, options.memory_limit, options.batch_rows, options.spill_directory
        )
        self._owner = Owner("engine.execute(query)")
        self._ladder = Ladder(self._core, self._owner, strict=options.strict, warn=options.warn)
        self._process = os.getpid()
        self._last_report: Report | None = None
        LIVING.add(self)

    @classmethod
    def from_options(cls, options: Options) -> Self:
        """An engine with these options."""
        return cls(**options.to_dict())

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

    @property
    def options(self) -> Options:
        """The options that the engine was made with."""
        return self._options

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self._options.not_default().items()]
        return f"Engine({', '.join(given)})"

    def __reduce__(self) -> tuple[Callable[[], Engine], tuple[()]]:
        return partial(Engine, **self._options.to_dict()), ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.shutdown()

    def shutdown(self) -> None:
        """Give back threads, memory and results. Queries after this raise RuntimeError; again it does nothing."""
        if self._owner.open and self._process == os.getpid():
            self._owner.close()
            self._core.shutdown()

    def explain(
        self,
        lf: pl.LazyFrame,
        *,
        program: bool = False,
        format: Literal["text", "json"] = "text",
        optimizations: pl.QueryOptFlags | None = None,
    ) -> str:
        """How this engine would run the query: each node with its device and how many rows it may give; what Polars
        would run instead, why, and what to change. Runs nothing.

        program: print the tile programs of the pipelines, if Frazil runs the query.
        format: "json" gives the same as one JSON object.
        """
        if format not in ("text", "json"):
            raise ValueError(f"format is 'text' or 'json', not {format!r}")
        self._require_open()
        optimizations = optimizations or pl.QueryOptFlags()
        planned = self._ladder.plan(lf, optimizations, describe=True)
        if program and planned.node is not None and format == "text":
            return self._core.explain(planned.node, True)
        rest = "" if self._options.strict else polars_engine(optimizations).name
        write = as_json if format == "json" else as_text
        return write(planned, device=self._core.device, polars=rest)

    def profile(
        self, lf: pl.LazyFrame, *, optimizations: pl.QueryOptFlags | None = None
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The result, and a frame that tells what each operator which ran on Frazil made and took: see NodeReport."""
        frame = self.collect(lf, optimizations=optimizations or pl.QueryOptFlags())
        assert self._last_report is not None
        return frame, profile_of(self._last_report)

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
        query = core.Query()
        if background:
            return BackgroundQuery(partial(self._collect, lf, optimizations, post_opt_callback, query), query.cancel)
        return self._collect(lf, optimizations, post_opt_callback, query)

    def _collect(
        self,
        lf: pl.LazyFrame,
        optimizations: pl.QueryOptFlags,
        post_opt_callback: Callable[..., None] | None,
        query: core.Query,
    ) -> pl.DataFrame:
        if post_opt_callback is not None:
            reasons = [Reason("callback", "", "", "a post_opt_callback is for Polars' engines")]
            self._last_report = Report(native=False, reasons=tuple(reasons), polars="in-memory")
            if self._options.strict:
                self._last_report = Report(native=False, reasons=tuple(reasons))
                raise UnsupportedError(reasons)
            return pl.InMemoryEngine().collect(lf, optimizations=optimizations, post_opt_callback=post_opt_callback)
        with self._telling(query):
            return self._finished(self._answer(lf, optimizations, query), lf, optimizations)

    def execute(
        self, lf: pl.LazyFrame, *, optimizations: pl.QueryOptFlags | None = None, keep: bool | None = None
    ) -> PersistedQueryResult:
        """The result as it lies where it was made, with `lazy()` for further queries; see PersistedQueryResult.

        keep: whether it can be read again and again; else one query may read it, once. Polars' own
            `lf.execute(engine=engine)`, which always names optimizations, keeps it.
        The direct call is experimental and gives an UnstableWarning; FRAZIL_WARN_UNSTABLE=1 makes it an error.
        """
        if optimizations is None:
            warn_unstable("frazil.Engine.execute")
        keep = optimizations is not None if keep is None else keep
        optimizations = optimizations or pl.QueryOptFlags()
        query = core.Query()
        with self._telling(query):
            answer = self._answer(lf, optimizations, query, stay=True)
            if isinstance(answer.rows, core.Result):
                table = answer.rows.table()
                return PersistedQueryResult(Rows(table, answer.schema, table.rows, self._owner, keep))
            frame = self._finished(answer, lf, optimizations)
        return PersistedQueryResult(Rows(frame, frame.schema, frame.height, self._owner, keep))

    def collect_all(self, lfs: Iterable[pl.LazyFrame], *, optimizations: pl.QueryOptFlags) -> list[pl.DataFrame]:
        """The results of several queries, whose common parts run once; `last_report` tells of all of them."""
        lfs = list(lfs)
        self._require_open()
        query = core.Query()
        with self._telling(query):
            try:
                answers = self._ladder.answers(lfs, optimizations, query)
            except UnsupportedError as error:
                self._last_report = Report(native=False, reasons=tuple(error.reasons))
                raise
            self._last_report = Report.of_all(answer.report for answer in answers)
            rest = [lf for lf, answer in zip(lfs, answers, strict=True) if answer.rows is None]
            try:
                left = iter(polars_engine(optimizations).collect_all(rest, optimizations=optimizations) if rest else [])
            finally:
                for answer in answers:
                    answer.lent.close()
            return [next(left) if (frame := answer.frame()) is None else frame for answer in answers]

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
        """An iterator of frames of `chunk_size` rows in order, with `__arrow_c_stream__`.

        lazy: nothing runs before the first frame is asked for.
        """

        def begin() -> Lent:
            query = core.Query()
            with self._telling(query):
                answer = self._answer_in_pieces(lf, optimizations, query)
            if answer.rows is not None:
                return Lent(answer.rows, answer.held, partial(self._report, answer))
            batches = pl.StreamingEngine().collect_batches(
                lf, optimizations=optimizations, maintain_order=maintain_order, chunk_size=chunk_size, lazy=True
            )
            return Lent(batches, answer.held)

        return Batches(begin, chunk_size, lazy=lazy)

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
        rows = checked_rows(chunk_size)
        query = core.Query()
        with self._telling(query):
            answer = self._answer_in_pieces(lf, optimizations, query)
            with answer.held:
                if answer.rows is None:
                    pl.StreamingEngine().sink_batches(
                        lf,
                        function,
                        chunk_size=chunk_size,
                        maintain_order=maintain_order,
                        optimizations=optimizations,
                    )
                    return
                for batch in in_batches(answer.rows, rows):
                    if function(batch):
                        break
                self._report(answer)

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
        query = core.Query()
        with self._telling(query):
            answer = self._answer_in_pieces(lf, optimizations, query)
            with answer.held:
                rows = lf if answer.rows is None else answer.rows.lazy()
                write = partial(getattr(pl.StreamingEngine(), sink), rows, target, optimizations=optimizations)
                if answer.rows is None:  # Polars answers Ctrl-C itself
                    write(**options)
                else:
                    below_polars(query, partial(write, **options))
                    self._report(answer)

    def _answer(
        self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags, query: core.Query, *, stay: bool = False
    ) -> Answer:
        """The answer as far as Frazil gives it, and its report; `stay`: rows that a GPU made stay there."""
        return self._reported(partial(self._ladder.answer, lf, optimizations, query, stay=stay))

    def _answer_in_pieces(self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags, query: core.Query) -> AnswerInPieces:
        """The same for a sink, and the report so far."""
        return self._reported(partial(self._ladder.answer_in_pieces, lf, optimizations, query))

    def _reported(self, answered: Callable[[], AnyAnswer]) -> AnyAnswer:
        self._require_open()
        try:
            answer = answered()
        except UnsupportedError as error:
            self._last_report = Report(native=False, reasons=tuple(error.reasons))
            raise
        self._last_report = answer.report
        return answer

    def _report(self, answer: AnswerInPieces) -> None:
        """Put what was made in pieces into the report, unless there was another call meanwhile."""
        if self._last_report is answer.report:
            self._last_report = answer.report_now()

    def _finished(self, answer: Answer, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags) -> pl.DataFrame:
        """The rows, by Polars if they are left to it."""
        with answer.lent:
            frame = answer.frame()
            return polars_engine(optimizations).collect(lf, optimizations=optimizations) if frame is None else frame

    def _telling(self, query: core.Query) -> Any:
        return told(teller(self._options.progress), lambda: self._core.bytes_in_use, query)

    def _require_open(self) -> None:
        if self._process != os.getpid():
            raise RuntimeError(
                "this engine was made before this process was forked, and its threads are not here: make an engine in "
                "this process, or start processes by 'spawn'"
            )
        if not self._owner.open:
            raise RuntimeError("this engine was shut down: make a new one")


LIVING: WeakSet[Engine] = WeakSet()


def _keep_for_ever() -> None:
    """In a forked process: never end the engines of the parent, which would wait for threads that are not here."""
    for engine in LIVING:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine._core))


os.register_at_fork(after_in_child=_keep_for_ever)
