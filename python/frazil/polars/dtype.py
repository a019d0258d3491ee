"""Polars' dtypes as the core's: both are told by Arrow, so there is no second table of them."""

from __future__ import annotations

from functools import lru_cache

import polars as pl

from frazil import _frazil as core
from frazil.polars.refusal import Refused


def core_schema(schema: dict[str, pl.DataType]) -> list[tuple[str, core.DataType]]:
    """Names and core dtypes of a schema, in its order."""
    return [(name, core_dtype(dtype)) for name, dtype in schema.items()]


@lru_cache(maxsize=1024)
def core_dtype(dtype: pl.DataType) -> core.DataType:
    """The core's dtype; refused if it has none."""
    if dtype.is_(pl.Object):  # leaves through Arrow as raw pointers
        raise Refused("dtype", "Object columns stay with Polars")
    try:
        ((_, result),) = core.schema_of(pl.DataFrame(schema={"": dtype}))
    except core.UnsupportedError as error:
        raise Refused("dtype", f"dtype {dtype}: {error}") from None
    return result
