"""Nodes and expressions of Polars as people read them, also those that are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from frazil.polars.refusal import Refused, shown

HINT = "(a hint for top-k)"  # which Polars puts into predicates
LONGEST = 160  # characters of a detail; the rest of a long list is not worth a page
SIGNS = {
    "Eq": "==", "EqValidity": "eq_missing", "NotEq": "!=", "NotEqValidity": "ne_missing", "Lt": "<", "LtEq": "<=",
    "Gt": ">", "GtEq": ">=", "Plus": "+", "Minus": "-", "Multiply": "*", "TrueDivide": "/", "FloorDivide": "//",
    "Modulus": "%", "And": "&", "Or": "|", "Xor": "^", "LogicalAnd": "&", "LogicalOr": "|",
}  # fmt: skip


def detail_of(traverser: Any, view: Any, place: Any) -> str:
    """What a node does, in one line: its expressions, and what else tells it from others of its kind.

    place: the NodeTranslation, which knows where the node's inputs are.
    """

    def lists(items: Iterable[Any], child: int | None = 0) -> str:
        place.move_to(child)
        return ", ".join(named(traverser, item) for item in items)

    def predicate(child: int | None) -> str:
        place.move_to(child)
        return text_of(traverser, view.predicate.node)

    match view_kind := place.kind.partition(".")[0]:
        case "Scan":
            told = f"{view.paths[0]}{f' and {len(view.paths) - 1} more' if len(view.paths) > 1 else ''}"
            if "://" in told:
                told = f"{told.partition('://')[0]}://..."  # it may hold a secret
            text = f"{told}{f' where {predicate(None)}' if view.predicate else ''}"
        case "Filter":
            text = predicate(0)
        case "Select" | "HStack":
            text = lists(view.expr if view_kind == "Select" else view.exprs)
        case "GroupBy":
            text = f"by {lists(view.keys)}: {lists(view.aggs)}"
        case "Join":
            how = view.options[0] if isinstance(view.options[0], str) else "/".join(map(str, view.options[0][:2]))
            where = f" where {predicate(None)}" if view.predicate else ""
            text = f"{how.lower()} on {lists(view.left_on, 0)} = {lists(view.right_on, 1)}{where}"
        case "Sort":
            down = [" descending" if flag else "" for flag in view.sort_options[2]]
            place.move_to(0)
            keys = [named(traverser, item) for item in view.by_column]
            text = ", ".join(key + direction for key, direction in zip(keys, down, strict=True))
        case "Slice":
            text = f"from {view.offset}, {view.len} rows"
        case "MapFunction":
            text = str(view.function)
        case "DataFrameScan" | "SimpleProjection":
            text = ", ".join(place.schema)
        case "Sink":
            text = "written by Polars"
        case _:
            text = ""
    place.move_to(None)
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def facts_of(traverser: Any, view: Any, kind: str) -> dict[str, Any]:
    """What tells how many rows a node may give: `rows`, `limit`, `paths`, `filtered`."""
    match kind.partition(".")[0]:
        case "DataFrameScan":
            return {"rows": view.df.height()}
        case "PythonScan":
            return {"rows": getattr(view.options[0], "height", None), "filtered": view.options[3] is not None}
        case "Scan":
            n_rows = view.file_options.n_rows
            return {
                "paths": view.paths if kind == "Scan.parquet" else [],
                "limit": None if n_rows is None else n_rows[1],
                "filtered": view.predicate is not None,
            }
        case "Slice":
            return {"limit": view.len}
        case "Sort" if view.slice is not None:
            return {"limit": view.slice[1]}
        case "Select" if all(is_aggregate(traverser, item.node) for item in view.expr):
            return {"limit": 1}
    return {}


def is_aggregate(traverser: Any, index: int) -> bool:
    """Whether an expression is one of the plain aggregates."""
    try:
        return type(shown(traverser.view_expression, index)).__name__ in ("Agg", "Len")
    except Refused:
        return False


def named(traverser: Any, item: Any) -> str:
    """An expression with the name that it gives its column."""
    text = text_of(traverser, item.node)
    return text if text == item.output_name or not item.output_name else f"{item.output_name} = {text}"


def text_of(traverser: Any, index: int) -> str:
    """An expression."""
    try:
        view = shown(traverser.view_expression, index)
    except Refused as refusal:
        return f"<{refusal.message.rpartition(': ')[2].rstrip(')')}>"

    def text(part: int) -> str:
        return text_of(traverser, part)

    def call(name: str, arguments: Sequence[int]) -> str:
        return f"{name}({', '.join(map(text, arguments))})"

    return shape_text(view, text, call)


def shape_text(view: Any, text: Callable[[int], str], call: Callable[[str, Sequence[int]], str]) -> str:
    """The text of a view whose parts are written by `text` and `call`."""
    match kind := type(view).__name__:
        case "Column":
            return str(view.name)
        case "Literal":
            return repr(view.value)
        case "BinaryExpr":
            name, sides = member(view.op), [text(view.left), text(view.right)]
            shown_sides = [side for side in sides if side != HINT]
            joined = f" {SIGNS.get(name, name)} ".join(shown_sides)
            return f"({joined})" if len(shown_sides) > 1 else joined
        case "Ternary":
            return f"when {text(view.predicate)} then {text(view.truthy)} else {text(view.falsy)}"
        case "Cast":
            return f"cast({text(view.expr)}, {view.dtype})"
        case "Function":
            data = view.function_data
            head = data[0] if isinstance(data, tuple) else data
            return HINT if head == "dynamic_pred" else call(head if isinstance(head, str) else member(head), view.input)
        case "Agg":
            return call(view.name, view.arguments)
        case "Len":
            return "len()"
        case "Window":
            return f"{text(view.function)} over ({', '.join(map(text, view.partition_by))})"
        case "Sort" | "Explode":
            return f"{kind.lower()}({text(view.expr)})"
        case "Slice":
            return f"slice({text(view.input)})"
        case "Filter":
            return f"filter({text(view.input)}, {text(view.by)})"
    return kind


def member(value: object) -> str:
    """The name of an enum's member: "Plus" of Operator.Plus."""
    return repr(value).rpartition(".")[2]
