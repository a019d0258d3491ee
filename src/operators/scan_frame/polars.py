"""DataFrameScan: a frame in memory, handed over by Arrow without a copy."""

from __future__ import annotations

from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import require_passable
from frazil.polars.node import NodeTranslation
from frazil.polars.refusal import Refused

NODES = ("DataFrameScan",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    t.require("selection", view.selection, None)
    require_passable(t.schema)
    frame = pl.DataFrame._from_pydf(view.df)
    # Without columns only the height counts, which a selection of none would lose.
    columns = frame[list(t.schema)] if t.schema else pl.DataFrame(height=frame.height)
    t.frame = columns
    return t.node("scan_frame", options={"table": handed_over(columns)})


def handed_over(frame: pl.DataFrame) -> core.Table:
    """The frame as the core reads it; refused if Arrow or the core has no place for one of its dtypes."""
    try:
        return core.Table(frame)
    except (KeyboardInterrupt, SystemExit, core.OutOfMemoryError):
        raise
    except BaseException as error:  # noqa: BLE001  Polars' PanicException is no Exception
        raise Refused("dtype", f"a column cannot be handed over: {error}") from None
