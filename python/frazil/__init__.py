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
    from frazil.engine.options import Options as Options
    from frazil.polars.selftest import FallbackWarning as FallbackWarning
    from frazil.progress import Progress as Progress
    from frazil.report import NodeReport as NodeReport
    from frazil.report import Reason as Reason
    from frazil.report import Report as Report
    from frazil.report import UnsupportedError as UnsupportedError
    from frazil.results import PersistedQueryResult as PersistedQueryResult
    from frazil.results import UnstableWarning as UnstableWarning

_HOMES = {
    "Engine": "frazil.engine",
    "FallbackWarning": "frazil.polars.selftest",
    "NodeReport": "frazil.report",
    "Options": "frazil.engine.options",
    "OutOfMemoryError": "frazil._frazil",
    "PersistedQueryResult": "frazil.results",
    "Progress": "frazil.progress",
    "Reason": "frazil.report",
    "Report": "frazil.report",
    "UnstableWarning": "frazil.results",
    "UnsupportedError": "frazil.report",
}

__all__ = [
    "Engine",
    "FallbackWarning",
    "NodeReport",
    "Options",
    "OutOfMemoryError",
    "PersistedQueryResult",
    "Progress",
    "Reason",
    "Report",
    "UnstableWarning",
    "UnsupportedError",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'frazil' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
