"""Polars' plan nodes as the core's: the walk over the plan, and what it offers to the translations in `nodes`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import core_dtype, core_schema
from frazil.polars.expression import Expression, ExpressionTranslator, Height, SeriesLiterals
from frazil.polars.nodes import translations
from frazil.polars.order import Sorted, column_of, sorted_columns
from frazil.polars.refusal import Refused, shown
from frazil.polars.sinks import Writer
from frazil.polars.text import detail_of, facts_of
from frazil.polars.tree import PlanNode, Recipes
from frazil.report import Reason

if TYPE_CHECKING:
    from frazil.results import Rows

Named = tuple[str, core.Expr]

TO_THE_END = 2**32 - 1  # the largest row count of this Polars build, which it uses for "all that is left"


class Blocked(Exception):
    """A part of the node or one of its inputs was refused, and the reason is noted."""


class PlanTranslator:
    """Walks a plan, children first, and goes on after a refusal so that all reasons are known at the end.

    describe: whether to tell people what each node does.
    loads: for our nodes that stand for rows which a function of Python gives, this function by the node's id.
    """

    def __init__(self, traverser: Any, *, describe: bool = False) -> None:
        self.traverser = traverser
        self.describe = describe
        self.reasons: list[Reason] = []
        self.recipes = Recipes()
        self.loads: dict[int, Callable[[], pl.DataFrame]] = {}
        self._done: dict[int, PlanNode] = {}
        self._cached: dict[int, core.Node | None] = {}

    def translate(self, index: int) -> PlanNode:
        """The node with this index, and all below it."""
        if index not in self._done:
            self.traverser.set_node(index)
            children = self.traverser.get_inputs()
            inputs = [self.translate(child) for child in children]
            if children:
                self.traverser.set_node(index)
            t = NodeTranslation(self, index, children, inputs)
            node = self._translate(t)
            self._done[index] = PlanNode(
                index,
                t.kind,
                t.detail,
                t.schema,
                inputs,
                node,
                t.reasons,
                t.cache,
                t.result,
                t.frame,
                t.writer,
                t.loops,
                t.sorted,
                t.facts,
            )
        return self._done[index]

    def nodes(self) -> list[PlanNode]:
        """All nodes that were translated, inputs first."""
        return list(self._done.values())

    def _translate(self, t: NodeTranslation) -> core.Node | None:
        try:
            view = shown(self.traverser.view_current_node)
            t.kind = kind_of(view)
            t.sorted = sorted_columns(self.traverser, view, t.kind, [below.sorted for below in t.below])
            t.loops = t.kind == "Join" and is_loop(view.options[0])
            if t.kind in ("Select", "HStack", "Filter"):
                t.series = SeriesLiterals(t.below[0].schema)
            if self.describe:
                t.detail = detail_of(self.traverser, view, t)
                t.facts = facts_of(self.traverser, view, t.kind)
            if t.kind == "Cache":  # all Caches with one id are the same rows, so they become the same object
                t.cache = view.id_
                return self._cached.setdefault(view.id_, t.inputs[0])
            translate = translations().get(t.kind)
            if translate is None:
                t.refuse("node", f"nodes of kind {t.kind} stay with Polars")
            return translate(view, t)
        except Refused as refusal:
            if not t.kind:
                t.kind = kind_of_hidden(refusal.message)
                if t.kind == "Resolver":  # Polars has resolved it: its input is what it stands for
                    return t.inputs[0]
                if self.describe:
                    t.detail = refusal.message
            t.note(refusal)
        except Blocked:
            pass
        return None


class NodeTranslation:
    """One node of Polars' plan while it is translated.

    kind: the kind of node, as in `frazil.polars.nodes`.
    schema: names and Polars' dtypes of its columns, in order.
    below: its inputs in the tree.
    inputs: its translated inputs, None for those that were refused.
    result: set by the translation of a scan of a persisted result.
    frame: set by the translation of a scan of a frame.
    writer: set by the translation of a sink.
    series: what expressions may bring along besides columns of the input; None where they may bring nothing.
    """

    def __init__(self, plan: PlanTranslator, index: int, children: Sequence[int], inputs: Sequence[PlanNode]) -> None:
        self._plan = plan
        self._index = index
        self._children = children
        self.kind = ""
        self.detail = ""
        self.facts: dict[str, Any] = {}
        self.reasons: list[Reason] = []
        self.cache: int | None = None
        self.result: Rows | None = None
        self.sorted: Sorted = {}
        self.frame: pl.DataFrame | None = None
        self.writer: Writer | None = None
        self.loops = False
        self.series: SeriesLiterals | None = None
        self.below = inputs
        self.inputs = [below.node for below in inputs]
        self._beside_count = 0
        self._aggregates: dict[int, dict[str, tuple[str, core.Expr]]] = {}  # by input and text: see beside
        self.schema: dict[str, pl.DataType] = shown(plan.traverser.get_schema)

    def input_schema(self, child: int = 0) -> dict[str, pl.DataType]:
        """Names and dtypes of the input with this number."""
        self.move_to(child)
        schema: dict[str, pl.DataType] = shown(self._plan.traverser.get_schema)
        return schema

    def refuse(self, code: str, message: str) -> NoReturn:
        """End the translation of this node."""
        raise Refused(code, message)

    def require(self, option: str, value: object, default: object) -> None:
        """Refuse an option of the node that is not at its default."""
        if value != default:
            self.refuse("option", f"{option}={value!r}")

    def note(self, refusal: Refused, column: str = "") -> None:
        """Add a refusal to the reasons of the node, and to those of the plan, once."""
        reason = Reason(refusal.code, self.kind, column, refusal.message)
        self.reasons.append(reason)
        if reason not in self._plan.reasons:
            self._plan.reasons.append(reason)

    def column_of(self, index: int) -> str | None:
        """The column of the input that an expression is, None if it is another thing."""
        self.move_to(0)
        return column_of(self._plan.traverser, index)

    def column(self, name: str, dtype: pl.DataType) -> core.Expr:
        """A column of an input."""
        return core.column(name, core_dtype(dtype))

    def expressions(
        self, items: Iterable[Any], child: int | None = 0, *, beside: bool = False
    ) -> list[tuple[str, Expression]]:
        """Output names and translations of expressions over the input `child`; None means this node's own columns.

        beside: aggregates beside rows are those of all rows of the input.
        """
        self.move_to(child)
        beside_rows = partial(self.beside, child) if beside and child is not None else None
        translator = self._translator(child, beside_rows)
        translated: list[tuple[str, Expression]] = []
        refused = False
        for item in items:
            try:
                translated.append((item.output_name, translator.translate(item.node)))
            except Refused as refusal:
                self.note(refusal, item.output_name)
                refused = True
        if refused:
            raise Blocked
        return translated

    def _translator(self, child: int | None, beside: Callable[[core.Expr], core.Expr] | None) -> ExpressionTranslator:
        schema = self.schema if child is None else self.below[child].schema
        return ExpressionTranslator(self._plan.traverser, schema, self.series, beside)

    def rows(self, items: Iterable[Any], child: int | None = 0) -> list[Named]:
        """Like `expressions`; aggregates are repeated for each row."""
        return self.repeated(self.expressions(items, child, beside=True), child)

    def repeated(self, named: Iterable[tuple[str, Expression]], child: int | None = 0) -> list[Named]:
        """Expressions over the input `child`, those of one row for each row."""
        rows: list[Named] = []
        for name, expression in named:
            if expression.height != Height.ONE:
                rows.append((name, expression.core))
            elif child is None:
                self.refuse("broadcast", f"column {name!r} is an aggregate beside rows")
            else:
                rows.append((name, self.beside(child, expression.core)))
        return rows

    def beside(self, child: int, aggregate: core.Expr) -> core.Expr:
        """A column of the input `child` that holds an aggregate of all its rows."""
        known = self._aggregates.setdefault(child, {})
        if any(name in str(aggregate) for name, _ in known.values()):  # of rows that have aggregates beside them
            self.inputs[child] = self.input(child)
            known.clear()
        self._beside_count += str(aggregate) not in known
        name, _ = known.setdefault(str(aggregate), (f"\1aggregate {self._beside_count}", aggregate))
        return core.column(name, aggregate.dtype)

    def predicate(self, item: Any, child: int | None = 0) -> list[Named]:
        """The predicate as a list of one, without Polars' top-k hints; empty if nothing is left or there is none."""
        return [] if item is None else self.predicate_of(item.node, child, item.output_name)

    def predicate_of(self, index: int, child: int | None = None, name: str = "") -> list[Named]:
        """Like `predicate`, of an expression's index."""
        self.move_to(child)
        beside = None if child is None else partial(self.beside, child)
        try:
            predicate = self._translator(child, beside).predicate(index)
        except Refused as refusal:
            self.note(refusal, name)
            raise Blocked from None
        if predicate is None:
            return []
        if predicate.height == Height.ONE:
            if child is None:
                self.refuse("broadcast", "a predicate that is an aggregate")
            return [("", self.beside(child, predicate.core))]
        return [("", predicate.core)]

    def slice(self, offset: int, length: int, *_hint: object) -> list[int]:
        """Offset and length of a slice, -1 for the length "to the end"."""
        return [offset, -1 if length == TO_THE_END else length]

    def sliced(self, node: core.Node, rows: Any) -> core.Node:
        """A run of the rows of a node that was made here, where Polars has a slice in it; its length may have a hint
        behind it."""
        if rows is None:
            return node
        start, count = self.slice(*rows[:2])
        return self.over(node, "slice", options={"offset": start, "length": count})

    def input(self, child: int = 0) -> core.Node:
        """The translated input with this number."""
        node = self.inputs[child]
        if node is None:
            raise Blocked
        if self.series is not None and self.series.series:
            node = self._beside_series()
        aggregates = self._aggregates.get(child)
        return self._with_aggregates(node, list(aggregates.values())) if aggregates else node

    def _with_aggregates(self, node: core.Node, aggregates: list[Named]) -> core.Node:
        """The rows of a node, each beside aggregates of all of them."""
        made = [(name, expression.dtype) for name, expression in aggregates]
        options: dict[str, object] = {"how": "cross", "maintain_order": "left", "coalesce": False}
        options |= {"suffix": "", "nulls_equal": False}
        recipes = self._plan.recipes
        one = recipes.node("group_by", [node], {"keys": [], "aggregates": aggregates}, {"maintain_order": False}, made)
        return recipes.node("join", [node, one], {}, options, [*node.schema, *made])

    def _beside_series(self) -> core.Node:
        """The input, a frame, with the Series of the expressions beside its columns."""
        assert self.series is not None
        frame, series = self.below[0].frame, self.series.series
        if frame is None:
            self.refuse("literal", "a Series beside rows that are not those of a frame")
        alone = self.kind == "Select" and not self.series.beside_columns
        heights = {one.len() for one in series} | (set() if alone else {frame.height})
        if len(heights) > 1 and 1 in heights:  # which Polars repeats, or does not, and does not show which
            self.refuse("literal", "a Series of one value beside other rows")
        if len(heights) > 1:
            self.refuse("literal", f"Series and columns of {' and '.join(map(str, sorted(heights)))} rows")
        columns = [*([] if alone else frame.get_columns()), *series]
        return self.scan(pl.DataFrame({column.name: column for column in columns}))  # of a list, "" would be renamed

    def node(
        self,
        kind: str,
        expressions: Mapping[str, Sequence[Named]] | None = None,
        options: Mapping[str, object] | None = None,
    ) -> core.Node:
        """The core's node over all inputs, with the schema of Polars' node."""
        return self._made(kind, [self.input(child) for child in range(len(self.inputs))], expressions, options)

    def over(
        self,
        node: core.Node,
        kind: str,
        expressions: Mapping[str, Sequence[Named]] | None = None,
        options: Mapping[str, object] | None = None,
    ) -> core.Node:
        """A node over another that was made here, where one of Polars' nodes is several of ours."""
        return self._made(kind, [node], expressions, options)

    def part(
        self,
        kind: str,
        inputs: Sequence[core.Node],
        expressions: Mapping[str, Sequence[Named]],
        options: Mapping[str, object],
        schema: Sequence[tuple[str, core.DataType]],
    ) -> core.Node:
        """A node with columns of its own, where one of Polars' nodes is several of ours."""
        return self._plan.recipes.node(kind, list(inputs), expressions, options, list(schema))

    def scan(self, frame: pl.DataFrame) -> core.Node:
        """A scan of a frame that is not in Polars' plan."""
        return self._plan.recipes.node("scan_frame", [], {}, {"table": core.Table(frame)}, core_schema(frame.schema))

    def later(self, load: Callable[[], pl.DataFrame]) -> core.Node:
        """A node of the rows that `load` gives when the query starts; they have this node's columns."""
        node = self.node("scan_frame", options={"table": core.Table(pl.DataFrame(schema=self.schema))})
        self._plan.loads[id(node)] = load
        return node

    def _made(
        self,
        kind: str,
        inputs: list[core.Node],
        expressions: Mapping[str, Sequence[Named]] | None,
        options: Mapping[str, object] | None,
    ) -> core.Node:
        try:
            return self._plan.recipes.node(kind, inputs, expressions or {}, options or {}, core_schema(self.schema))
        except core.UnsupportedError as error:
            raise Refused("node", str(error)) from None

    def move_to(self, child: int | None) -> None:
        """Put the traverser on an input, or with None on this node."""
        self._plan.traverser.set_node(self._index if child is None else self._children[child])


def kind_of(view: Any) -> str:
    """The kind of a node's view: its class, and its own kind if it has one."""
    match name := type(view).__name__:
        case "Scan":
            return f"{name}.{view.scan_type[0]}"
        case "MapFunction":
            return f"{name}.{view.function[0]}"
    return name


def is_loop(form: str | tuple[Any, ...]) -> bool:
    """Whether a form of join has no equal keys to go by; an as-of join goes by the order of its keys."""
    if isinstance(form, str):
        return form in ("Cross", "Range")
    return form[0] != "AsOf" and bool(form[1] != "fused_predicate")


HIDDEN = {  # the words by which Polars refuses to show a node
    "BytesIO": "Scan",
    "ipc scan": "Scan.ipc",
    "Resolver": "Resolver",
    "recursive query": "RecursiveQuery",
    "SinkMultiple": "SinkMultiple",
    "python mapfunction": "MapFunction.python",
    "apply inside GroupBy": "GroupBy",
    "ValueError": "Sink",  # one whose target has no text
}


def kind_of_hidden(message: str) -> str:
    """The kind of a node that Polars does not show, told by what it says instead."""
    return next((kind for words, kind in HIDDEN.items() if words in message), "Hidden")
