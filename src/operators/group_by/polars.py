"""GroupBy: keys and aggregates; windows and Python functions over groups stay with Polars.

Distinct: groups of which one row is kept.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import core_dtype
from frazil.polars.expression import Height
from frazil.polars.node import NodeTranslation

NODES = ("GroupBy", "Distinct")

ROWS, PLACE = "\1rows", "\1place"  # no columns of a user's table


def translate(view: Any, t: NodeTranslation) -> core.Node:
    return distinct(view, t) if t.kind == "Distinct" else groups(view, t)


def groups(view: Any, t: NodeTranslation) -> core.Node:
    t.require("apply", view.apply, ())
    for option in ("dynamic", "rolling"):
        t.require(option, getattr(view.options, option), None)
    keys = t.rows(view.keys)
    aggregates = t.expressions(view.aggs)
    for name, expression in aggregates:
        if expression.height == Height.ROWS:
            t.refuse("aggregate", f"column {name!r} is no aggregate")
    node = t.node(
        "group_by",
        {"keys": keys, "aggregates": [(name, expression.core) for name, expression in aggregates]},
        {"maintain_order": view.maintain_order},
    )
    return t.sliced(node, view.options.slice)


def distinct(view: Any, t: NodeTranslation) -> core.Node:
    """Groups by the columns that tell rows apart; of the others the first value, or the last."""
    keep, subset, maintain_order, rows = view.options
    if keep not in ("any", "first", "last", "none"):
        t.refuse("distinct", f"keep={keep!r}")
    if not t.schema:
        t.refuse("distinct", "rows without columns")
    columns = {name: t.column(name, dtype) for name, dtype in t.schema.items()}
    # The key of a group is that of its first row: of zeros the last may have another sign.
    kept = "last" if keep == "last" else "first"
    told_apart = list(columns) if subset is None else subset
    keys = [(f"\1key {name}", columns[name]) for name in told_apart]
    taken = [name for name in columns if name not in told_apart or (keep == "last" and t.schema[name].is_float())]
    aggregates = [(name, core.call(kept, [columns[name]], columns[name].dtype, [])) for name in taken]
    number = core.column(PLACE, core_dtype(pl.UInt32()))
    source, by_place = t.input(), keep == "last" and maintain_order  # groups are in the order of their first rows
    if by_place:
        source = t.part("row_index", [source], {}, {"offset": 0}, [(PLACE, number.dtype), *source.schema])
        aggregates.append((PLACE, core.call("last", [number], number.dtype, [])))
    if keep == "none":
        aggregates.append((ROWS, core.call("len", [], number.dtype, [])))
    made = [(name, expression.dtype) for name, expression in [*keys, *aggregates]]
    lists = {"keys": keys, "aggregates": aggregates}
    node = t.part("group_by", [source], lists, {"maintain_order": maintain_order and not by_place}, made)
    if by_place:
        options = {"descending": [False], "nulls_last": [False], "maintain_order": False, "slice": None}
        node = t.part("sort", [node], {"keys": [("", number)]}, options, made)
    if keep == "none":
        counted = [core.column(ROWS, number.dtype), core.literal(1, number.dtype)]
        one = core.call("equal", counted, core_dtype(pl.Boolean()), [])
        node = t.part("filter", [node], {"predicate": [("", one)]}, {}, made)
    outputs = [
        (name, core.column(name if name in taken else f"\1key {name}", column.dtype))
        for name, column in columns.items()
    ]
    return t.sliced(t.over(node, "project", {"columns": outputs}), rows)
