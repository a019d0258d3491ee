"""Scan of Parquet files that lie in a local file system and have the columns that Polars expects."""

from __future__ import annotations

import json
from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("Scan.parquet",)

# The columns read are those of the node's schema; caching and chunks are Polars' own affair; whether there are
# partition columns is told by hive_parts.
TOLD_ELSEWHERE = {"cache", "hive_options", "n_rows", "rechunk", "with_columns"}
DEFAULTS = {
    "cast_columns_policy": {
        "integer_upcast": False,
        "integer_to_float_cast": False,
        "float_upcast": False,
        "float_downcast": False,
        "datetime_nanoseconds_downcast": False,
        "datetime_microseconds_downcast": False,
        "datetime_milliseconds_upcast": False,
        "datetime_microseconds_upcast": False,
        "datetime_convert_timezone": False,
        "null_upcast": True,
        "categorical_to_string": False,
        "missing_struct_fields": "raise",
        "extra_struct_fields": "raise",
    },
    "extra_columns_policy": "raise",
    "missing_columns_policy": "raise",
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
    return t.node(
        "scan_parquet",
        {"predicate": predicate} if predicate else {},
        {"paths": list(view.paths), "n_rows": None if n_rows is None else list(n_rows)},
    )


def require_defaults(view: Any, t: NodeTranslation) -> None:
    """Refuse every option, also one that is not known here, that may change what is read."""
    options = view.file_options
    for name in dir(options):
        if not name.startswith("_") and name not in TOLD_ELSEWHERE:
            t.require(name, getattr(options, name), DEFAULTS.get(name))
    if view.hive_parts is not None and view.hive_parts.width() > 0:
        t.refuse("option", "hive partition columns")
    for name, value in json.loads(view.scan_type[1]).items():
        if name not in READER_HINTS:
            t.require(name, value, None)
