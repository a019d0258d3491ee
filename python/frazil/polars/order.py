"""Columns that are known to be sorted. Polars keeps a flag with each, which the way through Arrow loses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from frazil.polars.expression import spelling_of
from frazil.polars.refusal import Refused, shown

Sorted = dict[str, bool]  # whether descending, by name of the column

# Functions that keep the order of their first argument, if the others are such values.
KEEP_ORDER: dict[str, Callable[..., bool]] = {
    "string.Head": lambda count: is_count(count),
    "string.Slice": lambda start, count: start == 0 and is_count(count),
    "temporal.Date": lambda: True,
    "temporal.ConvertTimeZone": lambda: True,
    "temporal.ReplaceTimeZone": lambda ambiguous: isinstance(ambiguous, str),  # ours are those of UTC
    "temporal.Truncate": lambda every: isinstance(every, str),
    # Months differ in length.
    "temporal.OffsetBy": lambda by: isinstance(by, str) and re.search("mo|q|y", by) is None,
}
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


def is_count(value: object) -> bool:
    """Whether a value is a number of characters from the front."""
    return isinstance(value, int) and value >= 0


def renamed(traverser: Any, items: Sequence[Any], known: Sorted) -> Sorted:
    """The sorted columns among expressions that keep the order of a column."""
    sources = {item.output_name: source_of(traverser, item.node) for item in items} if known else {}
    return {name: known[source] for name, source in sources.items() if source is not None and source in known}


def source_of(traverser: Any, index: int) -> str | None:
    """The column whose order an expression keeps: the column itself, the first so many characters of its texts, or what
    comes of its moments."""
    try:
        view = shown(traverser.view_expression, index)
        if type(view).__name__ != "Function":
            return column_of(traverser, index)
        data = view.function_data
        keeps = KEEP_ORDER.get(spelling_of(data[0] if isinstance(data, tuple) else data))
        others = [shown(traverser.view_expression, part) for part in view.input[1:]]
    except Refused:
        return None
    kept = keeps is not None and keeps(*(getattr(other, "value", None) for other in others))
    return column_of(traverser, view.input[0]) if kept else None


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
