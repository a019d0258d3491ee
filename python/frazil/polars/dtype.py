"""Polars' dtypes as the core's: both are told by Arrow, so there is no second table of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache

import polars as pl

from frazil import _frazil as core
from frazil.polars.refusal import Refused

SIMPLE: tuple[type[pl.DataType], ...] = (pl.Boolean, pl.String, pl.Int32, pl.Int64, pl.UInt32, pl.Float64, pl.Date)


def core_schema(schema: Mapping[str, pl.DataType]) -> list[tuple[str, core.DataType]]:
    """Names and core dtypes of a schema, in its order."""
    require_passable_names(schema)
    return [(name, core_dtype(dtype)) for name, dtype in schema.items()]


def core_dtype(dtype: pl.DataType) -> core.DataType:
    """The core's dtype; refused if it has none."""
    if type(dtype) is pl.Decimal:
        return decimal_dtype(dtype.precision, dtype.scale)
    return simple_dtypes().get(type(dtype)) or _core_dtype(dtype)


@cache
def decimal_dtype(precision: int, scale: int) -> core.DataType:
    """The core's dtype of decimals, of which a dtype of Polars takes longer to look up."""
    return _core_dtype(pl.Decimal(precision, scale))


@cache
def simple_dtypes() -> dict[type[pl.DataType], core.DataType]:
    """The core's dtypes of classes whose dtypes are all equal, which are found sooner than others."""
    return {kind: _core_dtype(kind()) for kind in SIMPLE}


@lru_cache(maxsize=1024)
def _core_dtype(dtype: pl.DataType) -> core.DataType:
    require_passable_dtype(dtype)
    try:
        ((_, result),) = core.schema_of(pl.DataFrame(schema={"": dtype}))
    except core.UnsupportedError as error:
        raise Refused("dtype", f"dtype {dtype}: {error}") from None
    return result


def require_passable(schema: Mapping[str, pl.DataType]) -> None:
    """Refuse columns that cannot be handed over by Arrow and back."""
    require_passable_names(schema)
    for dtype in schema.values():
        require_passable_dtype(dtype)


def require_passable_names(names: Iterable[str]) -> None:
    """Refuse names that Arrow, whose names end at a NUL, has no place for: Polars would end the process."""
    if "\0" in "".join(names):
        first = next(name for name in names if "\0" in name)
        raise Refused("dtype", f"a name with a NUL character: {first!r}")


@lru_cache(maxsize=1024)
def require_passable_dtype(dtype: pl.DataType) -> None:
    """Refuse a dtype that cannot be handed over by Arrow and back."""
    for inner in parts(dtype):
        require_passable_names([field.name for field in inner.fields] if isinstance(inner, pl.Struct) else [])
        if inner.is_(pl.Object):  # leaves as raw pointers, or inside of others not at all
            raise Refused("dtype", "Object columns stay with Polars")
        if isinstance(inner, pl.Array) and inner.size == 0:  # Polars fails to take it back
            raise Refused("dtype", "arrays of width 0 stay with Polars")


def require_frame_of(dtype: pl.DataType) -> None:
    """Refuse what Polars itself makes no column of, although a plan may have it."""
    if not dtype.is_(pl.Object) and any(inner.is_(pl.Object) for inner in parts(dtype)):
        raise Refused("dtype", "Objects inside of other values stay with Polars")


def parts(dtype: pl.DataType) -> Iterator[pl.DataType]:
    """A dtype and all that are inside of it."""
    yield dtype
    inner = [dtype.inner] if isinstance(dtype, (pl.List, pl.Array)) else []
    inner += [field.dtype for field in dtype.fields] if isinstance(dtype, pl.Struct) else []
    for one in inner:
        yield from parts(one() if isinstance(one, type) else one)
