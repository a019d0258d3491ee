"""Columns that are known to be sorted. Polars keeps a flag with each, which the way through Arrow loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from frazil.polars.refusal import Refused, shown
from frazil.polars.text import member

Sorted = dict[str, bool]  # whether descending, by name of the column

KEEP_ROWS_AND_COLUMNS = {"Filter", "Slice", "SimpleProjection", "Cache", "MapFunction.hint_sorted"}


def sorted_columns(traverser: Any, view: Any, kind: str, inputs: Sequence[Sorted]) -> Sorted:
    """The sorted columns that a node gives, told those of its inputs."""
    if kind in KEEP_ROWS_AND_COLUMNS:
        hints = view.function[1] if kind == "MapFunction.hint_sorted" else ()
        return inputs[0] | {name: descending for name, descending, _ in hints}
    match kind:
        case "DataFrameScan":
            flags = {column.name: column.flags for column in pl.DataFrame._from_pydf(view.df)}
            return {name: f["SORTED_DESC"] for name, f in flags.items() if f["SORTED_ASC"] or f["SORTED_DESC"]}
        case "Join" if view.options[0] in ("Left", "Semi", "Anti"):  # they keep the order of the left side
            return inputs[0]
        case "Sort":
            first = column_of(traverser, view.by_column[0].node)
            return {} if first is None else {first: view.sort_options[2][0]}
        case "Select":
            return renamed(traverser, view.expr, inputs[0])
        case "HStack":
            new = {item.output_name for item in view.exprs}
            kept = {name: down for name, down in inputs[0].items() if name not in new}
            return kept | renamed(traverser, view.exprs, inputs[0])
    return {}


def renamed(traverser: Any, items: Sequence[Any], known: Sorted) -> Sorted:
    """The sorted columns among expressions that keep the order of a column."""
    sources = {item.output_name: source_of(traverser, item.node) for item in items} if known else {}
    return {name: known[source] for name, source in sources.items() if source is not None and source in known}


def source_of(traverser: Any, index: int) -> str | None:
    """The column whose order an expression keeps: the column itself, or the first so many characters of its texts."""
    try:
        view = shown(traverser.view_expression, index)
        if type(view).__name__ != "Function" or len(view.input) < 2:
            return column_of(traverser, index)
        data = view.function_data
        name = member(data[0] if isinstance(data, tuple) else data)
        counts = [shown(traverser.view_expression, part) for part in view.input[1:]]
    except Refused:
        return None
    values = [getattr(count, "value", None) for count in counts]
    if name not in ("Head", "Slice") or not all(isinstance(value, int) and value >= 0 for value in values):
        return None
    return column_of(traverser, view.input[0]) if name == "Head" or values[0] == 0 else None


def column_of(traverser: Any, index: int) -> str | None:
    """The column that an expression is, None if it is another thing."""
    try:
        view = shown(traverser.view_expression, index)
    except Refused:
        return None
    return view.name if type(view).__name__ == "Column" else None


def flag(frame: pl.DataFrame, known: Mapping[str, bool]) -> None:
    """Set the flags of a frame's columns."""
    for name, descending in known.items():
        if name in frame.columns:
            frame.replace_column(frame.get_column_index(name), frame.get_column(name).set_sorted(descending=descending))
