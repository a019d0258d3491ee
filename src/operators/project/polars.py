"""Select, HStack (with_columns) and SimpleProjection: the full list of output columns.

A Select of aggregates only is a group-by without keys.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.expression import Height
from frazil.polars.node import NodeTranslation

NODES = ("Select", "HStack", "SimpleProjection")


def translate(view: Any, t: NodeTranslation) -> core.Node:
    if t.kind == "SimpleProjection":
        return t.node("project", {"columns": kept_columns(t)})
    if t.kind == "HStack":
        return with_columns(view, t)  # with should_broadcast=False for what expressions share: rows need none
    return select(view, t)


def select(view: Any, t: NodeTranslation) -> core.Node:
    columns = t.expressions(view.expr, beside=True)
    heights = {expression.height for _, expression in columns}
    named = [(name, expression.core) for name, expression in columns]
    if heights == {Height.LITERAL}:
        return literals(named, t)
    if not view.should_broadcast and len(heights) > 1:
        t.refuse("broadcast", "a selection of literals beside others, which must not be repeated")
    if Height.ROWS in heights:
        return t.node("project", {"columns": t.repeated(columns)})
    if Height.ONE in heights:
        return t.node("group_by", {"keys": [], "aggregates": named}, {"maintain_order": False})
    return t.node("project", {"columns": named})


def literals(columns: list[tuple[str, core.Expr]], t: NodeTranslation) -> core.Node:
    """Literals alone are one row, whatever the input; of one that might fail something could be lost."""
    if t.below[0].kind != "DataFrameScan":
        t.refuse("broadcast", "a selection of literals only")
    return t.over(t.scan(pl.DataFrame(height=1)), "project", {"columns": columns})


def with_columns(view: Any, t: NodeTranslation) -> core.Node:
    new = dict(t.rows(view.exprs))
    return t.node("project", {"columns": [(name, new.get(name) or kept) for name, kept in kept_columns(t)]})


def kept_columns(t: NodeTranslation) -> list[tuple[str, core.Expr]]:
    """Each output column as a column of the input."""
    return [(name, t.column(name, dtype)) for name, dtype in t.schema.items()]
