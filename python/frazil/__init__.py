"""Frazil: a query engine for Polars that runs on NVIDIA GPUs, and on the CPU with the same operators.

    import frazil, polars as pl
    engine = frazil.Engine()
    pl.scan_parquet("data.parquet").group_by("k").agg(pl.len()).collect(engine=engine)

Importing the package loads neither the native module nor a GPU driver; the first use of a name below does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frazil._frazil import OutOfMemoryError as OutOfMemoryError
    from frazil.engine import Engine as Engine
    from frazil.report import NodeReport as NodeReport
    from frazil.report import Reason as Reason
    from frazil.report import Report as Report
    from frazil.report import UnsupportedError as UnsupportedError

_HOMES = {
    "Engine": "frazil.engine",
    "NodeReport": "frazil.report",
    "OutOfMemoryError": "frazil._frazil",
    "Reason": "frazil.report",
    "Report": "frazil.report",
    "UnsupportedError": "frazil.report",
}

__all__ = ["Engine", "NodeReport", "OutOfMemoryError", "Reason", "Report", "UnsupportedError"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'frazil' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
