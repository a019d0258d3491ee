"""Scan of Parquet files that lie in a local file system and have the columns that Polars expects."""

from __future__ import annotations

import json
from functools import cache
from operator import attrgetter
from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import core_dtype
from frazil.polars.node import Named, NodeTranslation

NODES = ("Scan.parquet",)

# The columns read are those of the node's schema; caching and chunks are Polars' own affair; whether there are
# partition columns is told by hive_parts.
TOLD_ELSEWHERE = {"cache", "hive_options", "n_rows", "rechunk", "row_index", "with_columns"}
# What to do where a file has other columns than the plan: such files are refused, whatever is to be done. But words
# that are not known here might mean more.
POLICIES: dict[str, set[object]] = {
    "integer_upcast": {False, True},
    "integer_to_float_cast": {False, True},
    "float_upcast": {False, True},
    "float_downcast": {False, True},
    "datetime_nanoseconds_downcast": {False, True},
    "datetime_microseconds_downcast": {False, True},
    "datetime_milliseconds_upcast": {False, True},
    "datetime_microseconds_upcast": {False, True},
    "datetime_convert_timezone": {False, True},
    "null_upcast": {False, True},
    "categorical_to_string": {False, True},
    "missing_struct_fields": {"raise", "insert"},
    "extra_struct_fields": {"raise", "ignore"},
    "extra_columns_policy": {"raise", "ignore"},
    "missing_columns_policy": {"raise", "insert"},
}
READER_HINTS = {"parallel", "low_memory", "use_statistics"}


def translate(view: Any, t: NodeTranslation) -> core.Node:
    require_defaults(view, t)
    for path in view.paths:
        if "://" in path:  # not the path itself: it may hold a secret
            t.refuse("cloud", f"files of {path.partition('://')[0]}://")
    n_rows = view.file_options.n_rows
    if n_rows is not None and n_rows[0] < 0:
        t.refuse("option", "a slice that counts from the end of the files")
    predicate = t.predicate(view.predicate, child=None)
    paths = list(view.paths)
    if view.file_options.row_index is not None:
        return numbered(paths, n_rows, predicate, t, *view.file_options.row_index)
    return t.node(
        "scan_parquet",
        {"predicate": predicate} if predicate else {},
        {"paths": paths, "n_rows": None if n_rows is None else list(n_rows)},
    )


def numbered(
    paths: list[str], n_rows: Any, predicate: list[Named], t: NodeTranslation, name: str, offset: int
) -> core.Node:
    """Rows with their numbers, which count before the slice and the predicate; so all up to the slice are read."""
    if t.schema[name] != pl.UInt32:
        t.refuse("option", f"a row index of dtype {t.schema[name]}")
    columns = [(column, core_dtype(dtype)) for column, dtype in t.schema.items()]
    read = [column for column in columns if column[0] != name]
    rows = None if n_rows is None else [0, sum(n_rows)]
    node = t.part("scan_parquet", [], {}, {"paths": paths, "n_rows": rows}, read)
    node = t.part("row_index", [node], {}, {"offset": offset}, [(name, core_dtype(pl.UInt32())), *read])
    if n_rows is not None and n_rows[0] > 0:
        node = t.part("slice", [node], {}, {"offset": n_rows[0], "length": n_rows[1]}, node.schema)
    if predicate:
        node = t.part("filter", [node], {"predicate": predicate}, {}, node.schema)
    return t.over(node, "project", {"columns": [(column, core.column(column, dtype)) for column, dtype in columns]})


@cache
def options_of(kind: type) -> tuple[list[str], attrgetter[tuple[object, ...]]]:
    """The names of the options that Polars' class has, but for those told elsewhere, and what gets them all."""
    names = [name for name in dir(kind) if not name.startswith("_") and name not in TOLD_ELSEWHERE]
    return names, attrgetter(*names)


class Harmless:
    """Options that were looked at last and change nothing; most scans of a process have the same."""

    options: tuple[object, ...] = ()


def require_defaults(view: Any, t: NodeTranslation) -> None:
    """Refuse every option, also one that is not known here, that may change what is read."""
    if view.hive_parts is not None and view.hive_parts.width() > 0:
        t.refuse("option", "hive partition columns")
    names, values_of = options_of(view.file_options.__class__)
    values = values_of(view.file_options)
    options = (*values, view.scan_type[1])
    if options == Harmless.options:
        return
    for name, value in zip(names, values, strict=True):
        for policy, word in value.items() if name == "cast_columns_policy" else [(name, value)]:  # type: ignore[attr-defined]
            if policy not in POLICIES:
                t.require(policy, word, None)
            elif word not in POLICIES[policy]:
                t.refuse("option", f"{policy}={word!r}")
    for name, value in json.loads(view.scan_type[1]).items():
        if name not in READER_HINTS:
            t.require(name, value, None)
    Harmless.options = options
