"""A plan of Polars after it was read: its nodes, each with our node or with what was refused of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.sinks import Writer
from frazil.report import Reason

if TYPE_CHECKING:
    from frazil.results import Rows

Check = Callable[[core.Node], "list[core.Refusal]"]
Refused = tuple[str, str, str]  # code, expression and message

# What a part must hold to be worth running apart: else Polars' streaming engine does as well with all of the query.
WORK = {"Distinct", "Filter", "GroupBy", "Join", "Sort"}
# Polars' streaming executor runs what lies below these, and knows no parts of another engine.
CLOSED = {"Sink", "SinkMultiple", "RecursiveQuery"}


@dataclass(eq=False)
class PlanNode:
    """One node of Polars' plan.

    kind: Polars' class name, and a kind within it: "Filter", "Scan.parquet".
    detail: what it does, for people; empty if it was not asked for.
    node: ours, None if this node or anything below was refused.
    reasons: what was refused of this node alone.
    cache: Polars' number of a Cache; those with one number are the same rows.
    result: the persisted result that it reads.
    frame: that it scans.
    writer: that takes its rows.
    loops: whether it is a join that may have to look at all pairs of rows.
    sorted: whether descending, by name of the columns that are known to be sorted.
    facts: what tells how many rows it may give, if that was asked for.
    """

    index: int
    kind: str
    detail: str
    schema: dict[str, pl.DataType]
    inputs: list[PlanNode]
    node: core.Node | None = None
    reasons: list[Reason] = field(default_factory=list)
    cache: int | None = None
    result: Rows | None = None
    frame: pl.DataFrame | None = None
    writer: Writer | None = None
    loops: bool = False
    sorted: dict[str, bool] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def walk(self) -> Iterator[PlanNode]:
        """This node and all below it, inputs first, each once."""
        seen: set[int] = set()
        waiting = [(self, False)]
        while waiting:
            node, ready = waiting.pop()
            if ready:
                yield node
            elif id(node) not in seen:
                seen.add(id(node))
                waiting.append((node, True))
                waiting += [(child, False) for child in reversed(node.inputs)]

    def refuse(self, nodes: Iterable[PlanNode], reason: Reason) -> None:
        """Take our nodes from some of Polars', and from all above them."""
        for node in nodes:
            node.node = None
            node.reasons.append(reason)
        for node in self.walk():
            if any(child.node is None for child in node.inputs):
                node.node = None

    def apply(self, check: Check) -> None:
        """Ask the core which of our nodes it refuses, and note at each node what it alone is refused for."""
        self._ask(check, {})

    def _ask(self, check: Check, found: dict[int, Counter[Refused]]) -> Counter[Refused]:
        """What the core refuses of this node and all below it."""
        if id(self) not in found:
            found[id(self)] = refusals = _refusals(check, self.node)
            if self.node is not None and not refusals:
                return refusals  # nor is anything below refused
            below = sum((child._ask(check, found) for child in self.inputs), Counter[Refused]())
            for code, expression, message in refusals - below:
                self.reasons.append(Reason(code, self.kind, expression, message))
            self.node = None
        return found[id(self)]

    def reads(self) -> Counter[Rows]:
        """How often each persisted result is read; what a Cache shares counts for each of its readers."""
        found: dict[int, Counter[Rows]] = {}
        for node in self.walk():
            count: Counter[Rows] = Counter() if node.result is None else Counter([node.result])
            found[id(node)] = sum((found[id(child)] for child in node.inputs), count)
        return found[id(self)]

    def parts(self) -> list[PlanNode]:
        """The largest parts that we can run while Polars runs the rest, each worth it.

        There are none if a loop over pairs of rows is left: Polars' in-memory engine, which would run it, keeps all
        pairs and does not look for Ctrl-C meanwhile.
        """
        if any(node.node is None and node.loops for node in self.walk()):
            return []
        chosen: dict[int, PlanNode] = {}
        self._choose(_readers_of_caches(self), chosen)
        return list(chosen.values())

    def _choose(self, readers: Counter[int], chosen: dict[int, PlanNode]) -> None:
        """Add the largest parts of this node and all below it."""
        if self.kind in CLOSED:
            return
        if self.node is not None and self.kind != "Cache" and _stands_alone(self, readers):
            if not _is_idle(self):
                chosen[self.index] = self
            return
        for child in self.inputs:
            child._choose(readers, chosen)


def _refusals(check: Check, node: core.Node | None) -> Counter[Refused]:
    """What the core refuses of a node and all below it."""
    refusals = [] if node is None else check(node)
    return Counter((refusal["code"], refusal["expression"], refusal["message"]) for refusal in refusals)


def _is_idle(node: PlanNode) -> bool:
    """Whether there is nothing in it that is worth running apart."""
    return not any(part.kind in WORK for part in node.walk())


def _readers_of_caches(root: PlanNode) -> Counter[int]:
    """How many Cache nodes there are of each number, of those that spare work."""
    return Counter(node.cache for node in root.walk() if node.cache is not None and not _is_idle(node))


def _stands_alone(node: PlanNode, readers: Counter[int]) -> bool:
    """Whether what is cached below is read below only."""
    return all(readers[cache] == count for cache, count in _readers_of_caches(node).items())


@dataclass
class Recipes:
    """How our nodes were made, so that a node may be made anew over other inputs: all nodes of a plan are made here."""

    made: dict[int, tuple[core.Node, str, list[core.Node], Any, Any, Any]] = field(default_factory=dict)

    def node(
        self,
        kind: str,
        inputs: list[core.Node],
        expressions: Mapping[str, Sequence[tuple[str, core.Expr]]],
        options: Mapping[str, object],
        columns: list[tuple[str, core.DataType]],
    ) -> core.Node:
        """Make a node."""
        node = core.node(kind, inputs, expressions, options, columns)
        self.made[id(node)] = (node, kind, inputs, expressions, options, columns)
        return node

    def inputs(self, node: core.Node) -> list[core.Node]:
        """The nodes that a node reads."""
        return self.made[id(node)][2]

    def replaced(self, node: core.Node, given: Mapping[int, core.Node]) -> core.Node:
        """The node with others in the place of those whose ids are given; shared inputs stay shared."""
        return self._anew(node, dict(given)) if given else node

    def _anew(self, old: core.Node, done: dict[int, core.Node]) -> core.Node:
        """A node, or another over other inputs; `done` has those that are known."""
        if id(old) not in done:
            _, kind, inputs, expressions, options, columns = self.made[id(old)]
            new = [self._anew(child, done) for child in inputs]
            same = all(a is b for a, b in zip(new, inputs, strict=True))
            done[id(old)] = old if same else core.node(kind, new, expressions, options, columns)
        return done[id(old)]

    def scan_of(self, node: core.Node, table: core.Table) -> core.Node:
        """A scan of rows that a node has made."""
        return core.node("scan_frame", [], {}, {"table": table}, self.made[id(node)][5])

    def shared(self, roots: list[core.Node]) -> list[core.Node]:
        """The nodes that several roots read and that are worth keeping, inputs first."""
        readers: Counter[int] = Counter()
        parents: dict[int, list[int]] = {}
        order: dict[int, core.Node] = {}
        for root in roots:
            for node in self.below(root):
                readers[id(node)] += 1
                order.setdefault(id(node), node)
                for child in self.inputs(node):
                    parents.setdefault(id(child), []).append(id(node))
        is_root = {id(root) for root in roots}
        return [
            node
            for key, node in order.items()
            if readers[key] > 1
            and self.made[key][1] != "scan_frame"
            and (key in is_root or any(readers[parent] < readers[key] for parent in parents[key]))
        ]

    def below(self, root: core.Node) -> list[core.Node]:
        """A node and all that it reads, inputs first, each once."""
        found: dict[int, core.Node] = {}
        self._add(root, found)
        return list(found.values())

    def _add(self, node: core.Node, found: dict[int, core.Node]) -> None:
        if id(node) not in found:
            for child in self.inputs(node):
                self._add(child, found)
            found[id(node)] = node
