"""Scan of Parquet files that lie in a local file system and have the columns that Polars expects."""

from __future__ import annotations

import json
from functools import cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import core_dtype
from frazil.polars.literal import physical
from frazil.polars.node import Named, NodeTranslation

NODES = ("Scan.parquet",)

Columns = list[tuple[str, core.DataType]]

# The columns read are those of the node's schema; caching and chunks are Polars' own affair; whether there are
# partition columns is told by hive_parts.
TOLD_ELSEWHERE = {"cache", "hive_options", "include_file_paths", "n_rows", "rechunk", "row_index", "with_columns"}
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
    predicate = t.predicate(view.predicate, child=None)
    paths = list(view.paths)
    index, parts = view.file_options.row_index, partitions(view)
    if index is not None or parts is not None or (n_rows is not None and n_rows[0] < 0):
        return with_made_columns(paths, parts, index, n_rows, predicate, t)
    return t.node(
        "scan_parquet",
        {"predicate": predicate} if predicate else {},
        {"paths": paths, "n_rows": None if n_rows is None else list(n_rows)},
    )


def partitions(view: Any) -> pl.DataFrame | None:
    """What the columns have for each file that are in the names of folders, or are its name; None if there are none."""
    told = [] if view.hive_parts is None else pl.DataFrame._from_pydf(view.hive_parts).get_columns()
    if view.file_options.include_file_paths is not None:
        told.append(pl.Series(view.file_options.include_file_paths, view.paths, dtype=pl.String))
    return pl.DataFrame(told) if told else None


def with_made_columns(
    paths: list[str], parts: pl.DataFrame | None, index: Any, n_rows: Any, predicate: list[Named], t: NodeTranslation
) -> core.Node:
    """Rows with columns that no file has, or of which the last are wanted. Numbers count before the slice and the
    predicate; so all up to the slice are read."""
    columns = [(column, core_dtype(dtype)) for column, dtype in t.schema.items()]
    name, offset = index or (None, 0)
    if name is not None and t.schema[name] != pl.UInt32:
        t.refuse("option", f"a row index of dtype {t.schema[name]}")
    if parts is None:
        read = [column for column in columns if column[0] != name]
        rows = [0, sum(n_rows)] if n_rows is not None and n_rows[0] >= 0 else None
        node = t.part("scan_parquet", [], {}, {"paths": paths, "n_rows": rows}, read)
    else:
        node = partitioned(paths, parts, [column for column in columns if column[0] != name], t)
    if name is not None:
        numbered = [(name, core_dtype(pl.UInt32())), *node.schema]
        node = t.part("row_index", [node], {}, {"offset": offset}, numbered)
    if n_rows is not None and (n_rows[0] != 0 or parts is not None):
        offset, length = t.slice(*n_rows)
        node = t.part("slice", [node], {}, {"offset": offset, "length": length}, node.schema)
    if predicate:
        node = t.part("filter", [node], {"predicate": predicate}, {}, node.schema)
    return t.over(node, "project", {"columns": [(column, core.column(column, dtype)) for column, dtype in columns]})


def partitioned(paths: list[str], parts: pl.DataFrame, columns: Columns, t: NodeTranslation) -> core.Node:
    """The rows of all files, one after the other, those of neighbours in one partition read as one."""
    if not paths:
        return t.scan(pl.DataFrame(schema={name: t.schema[name] for name, _ in columns}))
    read = [column for column in columns if column[0] not in parts.columns]
    scans = []
    for values, files in groupby(zip(parts.rows(), paths, strict=True), key=itemgetter(0)):
        node = t.part("scan_parquet", [], {}, {"paths": [path for _, path in files], "n_rows": None}, read)
        told = dict(zip(parts.columns, values, strict=True))
        made = [
            (
                name,
                core.literal(physical(told[name], t.schema[name]), dtype) if name in told else core.column(name, dtype),
            )
            for name, dtype in columns
        ]
        scans.append(t.part("project", [node], {"columns": made}, {}, columns))
    return scans[0] if len(scans) == 1 else t.part("union", scans, {}, {}, columns)


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
