"""Polars' plan nodes as the core's: the walk over the plan, and what it offers to the translations in `nodes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import core_dtype, core_schema
from frazil.polars.expression import Expression, ExpressionTranslator, Height
from frazil.polars.nodes import translations
from frazil.polars.refusal import Refused, shown
from frazil.report import Reason

Named = tuple[str, core.Expr]

TO_THE_END = 2**32 - 1  # the largest row count of this Polars build, which it uses for "all that is left"


class Blocked(Exception):
    """A part of the node or one of its inputs was refused, and the reason is noted."""


class PlanTranslator:
    """Walks a plan, children first, and goes on after a refusal so that all reasons are known at the end."""

    def __init__(self, traverser: Any) -> None:
        self.traverser = traverser
        self.reasons: list[Reason] = []
        self._done: dict[int, core.Node | None] = {}
        self._cached: dict[int, core.Node | None] = {}

    def translate(self, index: int) -> core.Node | None:
        """The node with this index; None if it or anything below was refused."""
        if index not in self._done:
            self.traverser.set_node(index)
            children = self.traverser.get_inputs()
            inputs = [self.translate(child) for child in children]
            self.traverser.set_node(index)
            self._done[index] = self._translate(NodeTranslation(self, index, children, inputs))
        return self._done[index]

    def _translate(self, t: NodeTranslation) -> core.Node | None:
        try:
            view = shown(self.traverser.view_current_node)
            t.kind = kind_of(view)
            if t.kind == "Cache":  # all Caches with one id are the same rows, so they become the same object
                return self._cached.setdefault(view.id_, t.inputs[0])
            if t.kind not in translations():
                t.refuse("node", f"nodes of kind {t.kind} stay with Polars")
            return translations()[t.kind](view, t)
        except Refused as refusal:
            t.note(refusal)
        except Blocked:
            pass
        return None


class NodeTranslation:
    """One node of Polars' plan while it is translated.

    kind: the kind of node, as in `frazil.polars.nodes`.
    schema: names and Polars' dtypes of its columns, in order.
    inputs: its translated inputs, None for those that were refused.
    """

    def __init__(
        self, plan: PlanTranslator, index: int, children: Sequence[int], inputs: list[core.Node | None]
    ) -> None:
        self._plan = plan
        self._index = index
        self._children = children
        self.kind = ""
        self.inputs = inputs
        self._beside_count = 0
        self._aggregates: dict[int, dict[str, tuple[str, core.Expr]]] = {}  # by input and text: see beside
        self.schema: dict[str, pl.DataType] = shown(plan.traverser.get_schema)

    def input_schema(self, child: int = 0) -> dict[str, pl.DataType]:
        """Names and dtypes of the input with this number."""
        self._move_to(child)
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
        """Add a refusal to the reasons of the plan, once."""
        reason = Reason(refusal.code, self.kind, column, refusal.message)
        if reason not in self._plan.reasons:
            self._plan.reasons.append(reason)

    def column(self, name: str, dtype: pl.DataType) -> core.Expr:
        """A column of an input."""
        return core.column(name, core_dtype(dtype))

    def expressions(
        self, items: Iterable[Any], child: int | None = 0, *, beside: bool = False
    ) -> list[tuple[str, Expression]]:
        """Output names and translations of expressions over the input `child`; None means this node's own columns.

        beside: aggregates beside rows are those of all rows of the input.
        """
        self._move_to(child)
        beside_rows = partial(self.beside, child) if beside and child is not None else None
        translator = ExpressionTranslator(self._plan.traverser, beside_rows)
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
        if item is None:
            return []
        self._move_to(child)
        beside = None if child is None else partial(self.beside, child)
        try:
            predicate = ExpressionTranslator(self._plan.traverser, beside).predicate(item.node)
        except Refused as refusal:
            self.note(refusal, item.output_name)
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
        """A run of the rows of a node, where Polars has a slice in it; a negative offset counts from the end."""
        if rows is None:
            return node
        offset, length = self.slice(*rows)
        return core.node("slice", [node], {}, {"offset": offset, "length": length}, node.schema)

    def input(self, child: int = 0) -> core.Node:
        """The translated input with this number."""
        node = self.inputs[child]
        if node is None:
            raise Blocked
        aggregates = list(self._aggregates.get(child, {}).values())
        return with_aggregates(node, aggregates) if aggregates else node

    def node(
        self,
        kind: str,
        expressions: Mapping[str, Sequence[Named]] | None = None,
        options: Mapping[str, object] | None = None,
    ) -> core.Node:
        """The core's node over all inputs, with the schema of Polars' node."""
        inputs = [self.input(child) for child in range(len(self.inputs))]
        lists = {name: list(items) for name, items in (expressions or {}).items()}
        try:
            return core.node(kind, inputs, lists, dict(options or {}), core_schema(self.schema))
        except core.UnsupportedError as error:
            raise Refused("node", str(error)) from None

    def _move_to(self, child: int | None) -> None:
        self._plan.traverser.set_node(self._index if child is None else self._children[child])


def with_aggregates(node: core.Node, aggregates: list[Named]) -> core.Node:
    """The rows of a node, each beside aggregates of all of them."""
    made = [(name, expression.dtype) for name, expression in aggregates]
    one = core.node("group_by", [node], {"keys": [], "aggregates": aggregates}, {"maintain_order": False}, made)
    options = {"how": "cross", "maintain_order": "left", "coalesce": False, "suffix": "", "nulls_equal": False}
    return core.node("join", [node, one], {}, options, [*node.schema, *made])


def kind_of(view: Any) -> str:
    """The kind of a node's view: its class, and its own kind if it has one."""
    match name := type(view).__name__:
        case "Scan":
            return f"{name}.{view.scan_type[0]}"
        case "MapFunction":
            return f"{name}.{view.function[0]}"
    return name
