"""Gets a query's optimised plan from Polars and reads it.

Polars shows the plan in a callback while it holds no lock, after which the traverser is dead: the plan is copied out
there. Then either its root is replaced by an empty frame, so that nothing of the query runs in Polars, or the parts
that we can run are replaced by calls of ours, and Polars goes on and runs the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import require_frame_of
from frazil.polars.node import PlanTranslator
from frazil.polars.refusal import Refused, shown
from frazil.polars.selftest import problem
from frazil.polars.tree import Check, PlanNode, Recipes
from frazil.polars.validation import has_checked_joins
from frazil.report import Reason

if TYPE_CHECKING:
    from frazil.results import Rows

# The traverser changes its tuples with its major version; another one may mean other things by the same values.
TRAVERSER_MAJOR = 16


@dataclass
class Plan:
    """What planning gave: the root's schema, and either its node or the reasons why there is none.

    sorted: its columns that are known to be sorted, and whether descending.
    root: the tree of Polars' nodes, None if it was not read.
    reads: how often each persisted result is read.
    parts: what we ran while Polars ran the rest.
    frame: the result, if Polars has run it with these parts.
    """

    schema: dict[str, pl.DataType] = field(default_factory=dict)
    node: core.Node | None = None
    reasons: list[Reason] = field(default_factory=list)
    root: PlanNode | None = None
    sorted: dict[str, bool] = field(default_factory=dict)
    reads: Counter[Rows] = field(default_factory=Counter)
    parts: list[PlanNode] = field(default_factory=list)
    frame: pl.DataFrame | None = None
    recipes: Recipes = field(default_factory=Recipes)
    loads: dict[int, Callable[[], pl.DataFrame]] = field(default_factory=dict)

    def explain_by(self, reasons: list[Reason]) -> None:
        """Give other reasons for what was refused, as they are known better."""
        self.reasons = reasons
        for node in self.root.walk() if self.root else ():
            if node.reasons:
                node.reasons = reasons

    def loaded(self, node: core.Node) -> core.Node:
        """The node with the rows of Python's sources in it; this runs those that it reads."""
        return self.recipes.replaced(node, self.loads_of([node]))

    def loads_of(self, nodes: list[core.Node]) -> dict[int, core.Node]:
        """The rows of Python's sources that the nodes read, for `replaced`; each source runs once."""
        wanted = {id(below): below for node in nodes for below in self.recipes.below(node)} if self.loads else {}
        return {
            key: self.recipes.scan_of(node, core.Table(self.loads[key]()))
            for key, node in wanted.items()
            if key in self.loads
        }


# Told the plan and a part of it, gives the part's rows.
RunPart = Callable[[Plan, PlanNode], pl.DataFrame]


@dataclass(frozen=True)
class Offload:
    """What planning needs to let Polars run what we refuse.

    wanted: whether this plan is to be finished now; asked once the plan is known and has parts that we can run.
    begin: called before anything runs.
    run: runs a part, on any thread.
    """

    wanted: Callable[[Plan], bool]
    begin: Callable[[Plan], None]
    run: RunPart


NOTHING = pl.DataFrame()


def nothing(*_: object) -> pl.DataFrame:
    """What Polars runs in the place of a plan: it does not look at the columns, and nobody looks at what it gives."""
    return NOTHING


class Planning:
    """The callback: reads the plan, and keeps what Polars would flatten into another exception."""

    def __init__(
        self,
        has_checked_joins: Callable[[], bool],
        check: Check | None = None,
        offload: Offload | None = None,
        *,
        describe: bool = False,
    ) -> None:
        self.plan = Plan()
        self._has_checked_joins = has_checked_joins
        self.error: BaseException | None = None
        self.goes_on = False
        self._check = check
        self._offload = offload
        self._describe = describe

    def __call__(self, traverser: Any, *_: object) -> None:
        try:
            self.plan = read(traverser, self._has_checked_joins, self._check, describe=self._describe)
            root = traverser.get_node()
            self.goes_on = self._replace_parts(traverser)
            if not self.goes_on:
                for dtype in self.plan.schema.values():
                    require_frame_of(dtype)
                traverser.set_node(root)
                traverser.set_udf(nothing)
        except BaseException as error:
            self.error = error
            raise

    def _replace_parts(self, traverser: Any) -> bool:
        """Put our parts into Polars' plan, if they are wanted."""
        plan, offload = self.plan, self._offload
        if offload is None or plan.node is not None or plan.root is None:
            return False
        plan.parts = plan.root.parts()
        if not plan.parts or not offload.wanted(plan):
            return False
        offload.begin(plan)
        root = traverser.get_node()
        for part in plan.parts:
            traverser.set_node(part.index)
            traverser.set_udf(lambda *_, part=part: offload.run(plan, part))
        traverser.set_node(root)
        return True


def plan(
    lf: pl.LazyFrame,
    optimizations: pl.QueryOptFlags,
    *,
    simplify: bool = True,
    check: Check | None = None,
    offload: Offload | None = None,
    describe: bool = False,
) -> Plan:
    """Plan a query without running any of it, unless `offload` wants Polars to go on.

    simplify: False switches off an optimisation that makes expressions which Polars does not show.
    check: what the core refuses of a node, for the last word on whether the plan runs.
    describe: tell in the plan's tree what each node does.
    Raises what Polars raises for a query that is wrong.
    """
    if (unlike := problem()) is not None:
        return Plan(reasons=[Reason("version", "", "", unlike)])
    flags = optimizations.__copy__()  # the default is one object that all queries share
    switches: Any = flags._pyoptflags
    switches.gpu = True  # no common subexpressions as columns of another height
    switches.streaming = False  # inequality joins keep their operators
    switches.query_monitoring = False
    switches.simplify_expression &= simplify
    planning = Planning(partial(has_checked_joins, lf, optimizations), check, offload, describe=describe)
    try:
        frame = pl.InMemoryEngine().collect(lf, optimizations=flags, post_opt_callback=planning)
    except BaseException as error:
        if core.interrupted():  # the signal may have ended a part of ours, and is not to be raised again
            raise KeyboardInterrupt from None
        if isinstance(planning.error, Refused):
            return Plan(reasons=[Reason(planning.error.code, "", "", planning.error.message)])
        if planning.error is not None:
            raise planning.error from None
        # Ctrl-C just as Polars called Python, of which it makes an error or a panic.
        flat = isinstance(error, (pl.exceptions.ComputeError, pl.exceptions.PanicException))
        if flat and "KeyboardInterrupt" in str(error):
            raise KeyboardInterrupt from None
        raise
    if planning.goes_on:
        planning.plan.frame = frame
    return planning.plan


def read(
    traverser: Any, has_checked_joins: Callable[[], bool], check: Check | None = None, *, describe: bool = False
) -> Plan:
    """Copy out the plan below the cursor, where the cursor is left."""
    if traverser.version()[0] != TRAVERSER_MAJOR:
        raise Refused("version", f"Polars shows plans of version {traverser.version()}, not {TRAVERSER_MAJOR}")
    index = traverser.get_node()
    schema = shown(traverser.get_schema)
    translator = PlanTranslator(traverser, describe=describe)
    try:
        root = translator.translate(index)
    except RecursionError:
        traverser.set_node(index)
        return Plan(schema, reasons=[Reason("depth", "", "", "the plan is nested too deeply")])
    traverser.set_node(index)
    # Loops have no keys to check; where there are others, one on two inequalities reads like a check.
    nodes = translator.nodes()
    joins = [node for node in nodes if node.kind == "Join" and node.node is not None and not node.loops]
    if joins and has_checked_joins():
        reason = Reason(
            "join_validate", "Join", "", "a join is to check that keys are unique, which Polars does not show"
        )
        root.refuse(joins, reason)
    if check is not None:
        root.apply(check)
    reasons = [reason for node in nodes for reason in node.reasons]
    return Plan(
        schema,
        root.node,
        list(dict.fromkeys(reasons)),
        root,
        root.sorted,
        root.reads() if any(node.result for node in nodes) else Counter(),
        recipes=translator.recipes,
        loads=translator.loads,
    )
