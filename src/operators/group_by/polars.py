"""GroupBy: keys and aggregates; windows and Python functions over groups stay with Polars."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.expression import Height
from frazil.polars.node import NodeTranslation

NODES = ("GroupBy",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    t.require("apply", view.apply, ())
    for option in ("dynamic", "rolling"):
        t.require(option, getattr(view.options, option), None)
    keys = t.rows(view.keys)
    aggregates = t.expressions(view.aggs)
    for name, expression in aggregates:
        if expression.height == Height.ROWS:
            t.refuse("aggregate", f"column {name!r} is no aggregate")
    groups = t.node(
        "group_by",
        {"keys": keys, "aggregates": [(name, expression.core) for name, expression in aggregates]},
        {"maintain_order": view.maintain_order},
    )
    return groups if view.options.slice is None else t.sliced(groups, *view.options.slice)
