"""PythonScan: the rows of a persisted result, or those that a source written in Python gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import require_passable
from frazil.polars.node import NodeTranslation
from frazil.results import Rows

NODES = ("PythonScan",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    scan, columns, kind, predicate, limit = view.options
    if kind != "io_plugin":
        t.refuse("node", f"sources of the kind {kind} stay with Polars")
    require_passable(t.schema)
    if isinstance(scan, Rows):
        t.result = scan
        node = t.node("scan_frame", options={"table": scan.table(list(t.schema))})
    else:
        node = t.later(rows_of(scan, columns, limit, pl.Schema(t.schema)))
    if limit is not None:  # counted before the predicate
        node = t.sliced(node, (0, limit))
    if predicate is not None:
        filtered = t.predicate_of(predicate[1])
        node = t.over(node, "filter", {"predicate": filtered}) if filtered else node
    return node


def rows_of(
    scan: Callable[..., Any], columns: list[str] | None, limit: int | None, schema: pl.Schema
) -> Callable[[], pl.DataFrame]:
    """A function that gives all rows of a source. The predicate is kept back, so that we need not trust it with it."""

    def rows() -> pl.DataFrame:
        pieces, _ = scan(columns, None, limit, None)
        found = list(pieces)
        for piece in found:
            if piece.schema != schema:
                raise core.UnsupportedError(f"a source gave columns {piece.schema}, and not {schema}")
        return pl.concat(found) if found else pl.DataFrame(schema=schema)

    return rows
