"""From a LazyFrame to Frazil's plan.

Polars optimises the query and shows the result in a callback, after which the traverser is dead: the plan is copied out
there, and its root replaced by an empty frame, so that nothing of the query runs in Polars.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.node import PlanTranslator
from frazil.polars.refusal import Refused, shown
from frazil.report import Reason

# The traverser changes its tuples with its major version; another one may mean other things by the same values.
TRAVERSER_MAJOR = 16


@dataclass(frozen=True)
class Plan:
    """What planning gave: the root's schema, and either its node or the reasons why there is none."""

    schema: dict[str, pl.DataType] = field(default_factory=dict)
    node: core.Node | None = None
    reasons: list[Reason] = field(default_factory=list)


class Planning:
    """The callback: reads the plan, and keeps what Polars would flatten into another exception."""

    def __init__(self) -> None:
        self.plan = Plan()
        self.error: BaseException | None = None

    def __call__(self, traverser: Any, *_: object) -> None:
        try:
            self.plan = read(traverser)
        except BaseException as error:
            self.error = error
            raise


def plan(lf: pl.LazyFrame, optimizations: pl.QueryOptFlags, *, simplify: bool = True) -> Plan:
    """Plan a query without running any of it.

    simplify: False switches off an optimisation that makes expressions which Polars does not show.
    Raises what Polars raises for a query that is wrong.
    """
    flags = optimizations.__copy__()  # the default is one object that all queries share
    switches: Any = flags._pyoptflags
    switches.gpu = True  # no common subexpressions as columns of another height
    switches.streaming = False  # inequality joins keep their operators
    switches.query_monitoring = False
    switches.simplify_expression &= simplify
    planning = Planning()
    try:
        pl.InMemoryEngine().collect(lf, optimizations=flags, post_opt_callback=planning)
    except BaseException as error:
        if isinstance(planning.error, Refused):
            return Plan(reasons=[Reason(planning.error.code, "", "", planning.error.message)])
        if planning.error is not None:
            raise planning.error from None
        if "conversion failed: KeyboardInterrupt" in str(error):  # Ctrl-C just as Polars called us
            raise KeyboardInterrupt from None
        raise
    return planning.plan


def read(traverser: Any) -> Plan:
    """Copy the plan below the cursor and leave an empty frame in its place."""
    if traverser.version()[0] != TRAVERSER_MAJOR:
        raise Refused("version", f"Polars shows plans of version {traverser.version()}, not {TRAVERSER_MAJOR}")
    root = traverser.get_node()
    schema = shown(traverser.get_schema)
    translator = PlanTranslator(traverser)
    try:
        node = translator.translate(root)
        reasons = translator.reasons
    except RecursionError:
        node, reasons = None, [Reason("depth", "", "", "the plan is nested too deeply")]
    empty = pl.DataFrame(schema=schema)
    traverser.set_node(root)
    traverser.set_udf(lambda *_: empty)
    return Plan(schema, node, reasons)
