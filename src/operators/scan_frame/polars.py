"""DataFrameScan: a frame in memory, handed over by Arrow without a copy."""

from __future__ import annotations

from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("DataFrameScan",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    t.require("selection", view.selection, None)
    if any(dtype.is_(pl.Object) for dtype in t.schema.values()):
        t.refuse("dtype", "Object columns stay with Polars")
    frame = pl.DataFrame._from_pydf(view.df)
    # Without columns only the height counts, which a selection of none would lose.
    columns = frame[list(t.schema)] if t.schema else pl.DataFrame(height=frame.height)
    return t.node("scan_frame", options={"table": core.Table(columns)})
