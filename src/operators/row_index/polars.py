"""Row index: rows with their number as the first column."""

from __future__ import annotations

from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("MapFunction.row_index",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    _, name, offset = view.function
    if t.schema[name] != pl.UInt32:
        t.refuse("option", f"a row index of dtype {t.schema[name]}")
    return t.node("row_index", options={"offset": offset})
