"""How a query is answered: the steps from all of it on Frazil down to all of it in Polars.

1. The plan as Polars optimises it; then
2. without Polars' simplification, which makes expressions that engines are not shown; or with small Parquet files that
   lie in memory as files;
3. the largest parts that we can run, as sources of a plan that Polars' in-memory engine finishes;
4. the whole query by the engine that Polars would take itself, which is left to the caller.

A strict engine takes the first two only.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

import polars as pl

from frazil import _frazil as core
from frazil.engine.interrupt import below_polars, ended_by_ctrl_c
from frazil.engine.pieces import Pieces
from frazil.polars.buffers import with_files
from frazil.polars.order import Sorted, flag
from frazil.polars.plan import Offload, Plan, plan
from frazil.polars.selftest import FallbackWarning
from frazil.polars.tree import PlanNode
from frazil.report import NodeReport, Reason, Report, UnsupportedError
from frazil.results import Owner, Rows


@dataclass
class Answer:
    """The rows of a query, and how they came about.

    rows: as the core made them, or as a frame of Polars; None if all of it is left to the caller.
    sorted: columns that are known to be sorted, and whether descending.
    lent: lets Polars read persisted results, as long as it is open.
    """

    rows: core.Result | pl.DataFrame | None
    report: Report
    schema: pl.Schema = field(default_factory=pl.Schema)
    sorted: dict[str, bool] = field(default_factory=dict)
    lent: ExitStack = field(default_factory=ExitStack)

    def frame(self) -> pl.DataFrame | None:
        """The rows as a frame."""
        return framed(self.rows, self.schema, self.sorted) if isinstance(self.rows, core.Result) else self.rows


@dataclass
class AnswerInPieces:
    """The rows of a query for a sink; None if all of it is left to the caller.

    held: what the rows need as long as they are made; closing it ends the query.
    """

    rows: Pieces | None
    ran: Ran
    report: Report
    held: ExitStack = field(default_factory=ExitStack)

    def report_now(self) -> Report:
        """The report, of what was made until now."""
        return self.report if self.rows is None else self.ran.report()


class Ran:
    """What the core runs for a query; parts may run at the same time.

    query: as which the core knows it.
    """

    def __init__(self, engine: core.Engine, query: core.Query) -> None:
        self.query = query
        self._engine = engine
        self._lock = threading.Lock()
        self._runs: list[core.Result | core.Stream] = []

    def run(self, node: core.Node, *, stay: bool = False) -> core.Result:
        """Run a node to its end; `stay`: rows that a GPU made stay there."""
        result = self._engine.run(node, self.query, stay)
        with self._lock:
            self._runs.append(result)
        return result

    def stream(self, node: core.Node) -> core.Stream:
        """A run of a node whose rows are still to be asked for."""
        stream = self._engine.stream(node, self.query)
        self._runs.append(stream)
        return stream

    def report(self, *, reasons: Iterable[Reason] = (), polars: str = "") -> Report:
        """The report of all runs; with reasons if it was not all of the query, and the engine that ran the rest."""
        done = self._runs
        return Report(
            native=not polars,
            nodes=tuple(NodeReport(**entry) for result in done for entry in result.report),
            reasons=tuple(reasons),
            polars=polars,
            notes=tuple(note for result in done for note in result.notes),
            launches=sum(result.launches for result in done),
            kernel_seconds=sum(result.kernel_seconds for result in done),
            device_bytes=sum(result.device_bytes for result in done),
            tiles_loaded=sum(result.tiles_loaded for result in done),
            bytes_peak=max((result.bytes_peak for result in done), default=0),
            bytes_spilled=sum(result.bytes_spilled for result in done),
        )


class Ladder:
    """Takes the steps for an engine.

    core: what runs plans.
    owner: of the results that this engine may read.
    strict: whether nothing is left to Polars.
    warn: whether what is left to Polars is a warning, once for each cause.
    """

    def __init__(self, core: core.Engine, owner: Owner, *, strict: bool, warn: bool) -> None:
        self._core = core
        self._owner = owner
        self._strict = strict
        self._warn = warn
        self._warned: set[Reason] = set()

    def plan(self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags, *, describe: bool = False) -> Plan:
        """The plan of steps 1 and 2, or else what was refused in the first; nothing runs."""
        with ExitStack() as files:
            planned = self._planned(lf, optimizations, files, describe=describe)
        self._check_reads(planned.reads)
        return planned

    def answer(
        self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags, query: core.Query, *, stay: bool = False
    ) -> Answer:
        """The answer of the first step that gives one; `stay`: rows that a GPU made stay there."""
        ran, lent = Ran(self._core, query), ExitStack()
        try:
            files = lent.enter_context(ExitStack())
            offload = None if self._strict else self._offload(ran, lent)
            planned = self._planned(lf, optimizations, files, offload)
            if planned.frame is not None:
                lent.close()
                self._tell(planned.reasons)
                report = ran.report(reasons=planned.reasons, polars="in-memory")
                return Answer(planned.frame, report, pl.Schema(planned.schema))
            self._check_reads(planned.reads)
            reasons = planned.reasons
            begin(planned.reads if planned.node is not None or not self._strict else (), lent)
            if planned.node is not None:
                answer = self._run(planned, planned.node, ran, stay=stay)
                lent.close()
                return answer
        except core.UnsupportedError as error:  # known only from the data; nothing of the result was given away
            reasons = [Reason("run", "", "", str(error))]
        except BaseException:
            lent.close()
            raise
        return self._left(reasons, lent, optimizations)

    def answer_in_pieces(self, lf: pl.LazyFrame, optimizations: pl.QueryOptFlags, query: core.Query) -> AnswerInPieces:
        """The answer of step 1 or 2 for a sink, which takes the rows while they are made."""
        ran, held = Ran(self._core, query), ExitStack()
        try:
            planned = self._planned(lf, optimizations, held.enter_context(ExitStack()))
            self._check_reads(planned.reads)
            if planned.root is not None and planned.root.kind == "Sink":  # for Polars to raise its error
                held.close()
                sink = Reason("sink", "", "", "a sink on a sink")
                return AnswerInPieces(None, ran, Report(native=False, reasons=(sink,)))
            reasons = planned.reasons
            begin(planned.reads if planned.node is not None or not self._strict else (), held)
            if planned.node is not None:
                stream = ran.stream(planned.loaded(planned.node))
                pieces = pieces_of(stream, pl.Schema(planned.schema), planned.sorted, held)
                return AnswerInPieces(pieces, ran, ran.report(), held=held)
        except core.UnsupportedError as error:
            reasons = [Reason("run", "", "", str(error))]
        except BaseException:
            held.close()
            raise
        left = self._left(reasons, held, optimizations)
        return AnswerInPieces(None, ran, left.report, held=left.lent)

    def _planned(
        self,
        lf: pl.LazyFrame,
        optimizations: pl.QueryOptFlags,
        files: ExitStack,
        offload: Offload | None = None,
        *,
        describe: bool = False,
    ) -> Plan:
        """The plan of the first step that gives one, else the first plan, of which something was refused."""
        patient = offload and replace(offload, wanted=lambda planned: not simplification_may_matter(planned))
        first = plan(lf, optimizations, check=self._core.check, offload=patient, describe=describe)
        if first.node is not None or first.frame is not None:
            return first
        if simplification_may_matter(first):
            second = plan(lf, optimizations, simplify=False, check=self._core.check, describe=describe)
            if second.node is not None:
                return second
            if offload is not None and first.parts:
                return plan(lf, optimizations, check=self._core.check, offload=offload)
        return self._over_files(lf, optimizations, first, files, describe=describe)

    def _run(self, planned: Plan, node: core.Node, ran: Ran, *, stay: bool) -> Answer:
        """Run all of a query, and write its rows if it ends in a sink."""
        if planned.root is None or planned.root.writer is None:
            result = ran.run(planned.loaded(node), stay=stay)
            return Answer(result, ran.report(), pl.Schema(planned.schema), planned.sorted)
        rows = planned.root.inputs[0]
        with ExitStack() as held:
            pieces = pieces_of(ran.stream(planned.loaded(node)), pl.Schema(rows.schema), rows.sorted, held)
            below_polars(ran.query, partial(planned.root.writer.write, pieces.lazy()))
        return Answer(pl.DataFrame(), ran.report())

    def answers(self, lfs: Sequence[pl.LazyFrame], optimizations: pl.QueryOptFlags, query: core.Query) -> list[Answer]:
        """The answers to several queries; what they share runs once, if Frazil runs them all."""
        if len(lfs) > 1 and (together := self._together(lfs, optimizations, query)) is not None:
            return together
        if self._strict:
            plans = [self.plan(lf, optimizations) for lf in lfs]
            reasons = [reason for planned in plans for reason in planned.reasons if planned.node is None]
            if reasons:
                raise UnsupportedError(reasons)
        return [self.answer(lf, optimizations, query) for lf in lfs]

    def _together(
        self, lfs: Sequence[pl.LazyFrame], optimizations: pl.QueryOptFlags, query: core.Query
    ) -> list[Answer] | None:
        """Plan the queries as one, whose columns lie side by side; None if that is not for Frazil alone."""
        marked = [lf.select(pl.all().name.prefix(f"{number}:")) for number, lf in enumerate(lfs)]
        try:
            planned = plan(pl.concat(marked, how="horizontal"), optimizations, check=self._core.check)
        except pl.exceptions.PolarsError:  # whose text is better without our marks
            return None
        roots = [] if planned.root is None or planned.root.kind != "HConcat" else planned.root.inputs
        nodes = [root.node for root in roots if root.node is not None]
        if len(nodes) != len(lfs) or not all(root.schema for root in roots):  # a sink has no columns, and is lost here
            return None
        self._check_reads(planned.reads)
        lent = ExitStack()
        try:
            begin(planned.reads, lent)
            answers = self._run_all(planned, nodes, [root.sorted for root in roots], query)
        except core.UnsupportedError as error:
            reasons = [Reason("run", "", "", str(error))]
            return [self._left(reasons, lent if n == 0 else ExitStack(), optimizations) for n in range(len(lfs))]
        except BaseException:
            lent.close()
            raise
        lent.close()
        return answers

    def _run_all(self, planned: Plan, nodes: list[core.Node], known: list[Sorted], query: core.Query) -> list[Answer]:
        """Run what the nodes share, and then each of them."""
        assert planned.root is not None
        given = planned.loads_of(nodes)
        ran = Ran(self._core, query)
        for shared in planned.recipes.shared(nodes):
            result = ran.run(planned.recipes.replaced(shared, given))
            given[id(shared)] = planned.recipes.scan_of(shared, core.Table(result))
        answers = []
        for node, root, columns in zip(nodes, planned.root.inputs, known, strict=True):
            result = ran.run(planned.recipes.replaced(node, given))
            frame = framed(result, pl.Schema(root.schema), columns)
            frame.columns = [name.partition(":")[2] for name in frame.columns]
            answers.append(Answer(frame, ran.report()))
            ran = Ran(self._core, query)  # what is shared is told with the first
        return answers

    def _over_files(
        self,
        lf: pl.LazyFrame,
        optimizations: pl.QueryOptFlags,
        planned: Plan,
        files: ExitStack,
        *,
        describe: bool = False,
    ) -> Plan:
        """The plan with buffers as files, if it is one for Frazil; else the one that there is, with its reasons."""
        query = with_files(lf, planned, files)
        if query is None:
            return planned
        try:
            other = plan(query, optimizations, check=self._core.check, describe=describe)
        except (OSError, pl.exceptions.PolarsError):  # which names other files than the user's
            return planned
        if other.node is None:
            planned.explain_by(other.reasons)
            return planned
        return other

    def _offload(self, ran: Ran, lent: ExitStack) -> Offload:
        """Step 3."""

        def start(planned: Plan) -> None:
            self._check_reads(planned.reads)
            begin(planned.reads, lent)
            lent.enter_context(ended_by_ctrl_c(ran.query))

        def run(planned: Plan, part: PlanNode) -> pl.DataFrame:
            assert part.node is not None
            result = ran.run(planned.loaded(part.node))
            return framed(result, pl.Schema(part.schema), part.sorted)

        return Offload(lambda _: True, start, run)

    def _left(self, reasons: list[Reason], lent: ExitStack, optimizations: pl.QueryOptFlags) -> Answer:
        """Leave the query to Polars, if that is allowed."""
        if self._strict:
            lent.close()
            raise UnsupportedError(reasons)
        self._tell(reasons)
        polars = polars_engine(optimizations).name
        return Answer(None, Report(native=False, reasons=tuple(reasons), polars=polars), lent=lent)

    def _check_reads(self, reads: Mapping[Rows, int]) -> None:
        for rows, count in reads.items():
            rows.check(self._owner, count)

    def _tell(self, reasons: Iterable[Reason]) -> None:
        """Warn of causes that were not warned of before."""
        new = [reason for reason in reasons if reason not in self._warned] if self._warn else []
        self._warned.update(new)
        for reason in new:
            warnings.warn(FallbackWarning(f"Polars runs it: {reason}"), stacklevel=2)


def begin(reads: Iterable[Rows], lent: ExitStack) -> None:
    """Take note that a query which reads these results starts."""
    for rows in reads:
        lent.enter_context(rows.lent())


def simplification_may_matter(planned: Plan) -> bool:
    """Whether something was refused that a plan without simplification may not have: it changes expressions only."""
    return any(reason.expression for reason in planned.reasons)


def pieces_of(stream: core.Stream, schema: pl.Schema, known: Mapping[str, bool], held: ExitStack) -> Pieces:
    """The rows of a stream, which closing `held` ends."""
    held.callback(stream.close)
    return Pieces(stream, partial(framed, schema=schema, known=known), schema)


def framed(result: core.Result | core.Table, schema: pl.Schema, known: Mapping[str, bool]) -> pl.DataFrame:
    """The rows as Polars takes them, which does not look whether they are what its plan says."""
    frame = pl.DataFrame(result)
    if frame.schema != schema:
        raise RuntimeError(f"Frazil made columns {frame.schema}, and the plan says {schema}: please report")
    flag(frame, known)
    return frame


def polars_engine(optimizations: pl.QueryOptFlags) -> pl.Engine:
    """The engine that Polars would take itself: the in-memory one for what its eager methods do inside."""
    return pl.InMemoryEngine() if optimizations._pyoptflags.eager else pl.StreamingEngine()
