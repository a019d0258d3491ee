"""Literals, exactly as Polars means them, as the physical values that the core takes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import polars as pl

from frazil.polars.refusal import Refused

Physical = bool | int | float | str | bytes | None

EPOCH = datetime(1970, 1, 1)
PLAIN: dict[type, tuple[type, ...]] = {
    pl.Boolean: (bool,),
    pl.String: (str,),
    pl.Binary: (bytes,),
    pl.Duration: (int,),  # already in its own unit
}
# Those whose values are as they are, whatever they are; integers, if they have less than 128 bits.
PLAINEST: dict[type, type] = {
    pl.Boolean: bool, pl.String: str, pl.Binary: bytes, pl.Float64: float, pl.Float32: float,
    pl.Int8: int, pl.Int16: int, pl.Int32: int, pl.Int64: int, pl.UInt8: int, pl.UInt16: int, pl.UInt32: int,
    pl.UInt64: int,
}  # fmt: skip


def physical(value: object, dtype: pl.DataType) -> Physical:
    """The physical value of a scalar literal: days, ticks of its unit, or an unscaled integer for a decimal.

    Refused if the value may not be the one that the query holds, or is no scalar.
    """
    if value is None:
        return None
    if type(value) is PLAINEST.get(type(dtype)) and (type(value) is not int or value.bit_length() < 128):
        return value  # type: ignore[return-value]  # one of these types
    match dtype:
        case pl.Date() if type(value) is date:
            return value.toordinal() - EPOCH.toordinal()
        case pl.Datetime() if isinstance(value, datetime):
            return ticks(value, dtype)
        case pl.Time():
            raise Refused("literal", "a Time literal reaches engines cut to microseconds")
        case pl.Decimal() if isinstance(value, Decimal):
            return unscaled(value, dtype.scale)
    if isinstance(value, int) and not -(2**127) <= value < 2**127:
        raise Refused("literal", "a literal beyond 128 bits with sign")
    if isinstance(value, accepted_types(dtype)) and isinstance(value, bool) == dtype.is_(pl.Boolean):
        return value  # type: ignore[return-value]  # one of accepted_types
    raise Refused("literal", f"a literal of dtype {dtype} (a {type(value).__name__})")


def accepted_types(dtype: pl.DataType) -> tuple[type, ...]:
    """The Python types whose values are the physical values of `dtype`."""
    if dtype.is_integer():
        return (int,)
    if dtype.is_float():
        return (float, int)
    return PLAIN.get(dtype.base_type(), ())


def ticks(value: datetime, dtype: pl.Datetime) -> int:
    """Units of `dtype` since 1970, UTC if it has a time zone."""
    if dtype.time_unit == "ns":
        raise Refused("literal", "a Datetime('ns') literal reaches engines cut to microseconds")
    if value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    unit = timedelta(microseconds=1) if dtype.time_unit == "us" else timedelta(milliseconds=1)
    count, rest = divmod(value - EPOCH, unit)
    if rest:
        raise Refused("literal", f"{value} is no whole number of {dtype.time_unit}")
    return count


def unscaled(value: Decimal, scale: int) -> int:
    """The integer `value * 10**scale`; Decimal's own arithmetic would round to 28 digits."""
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise Refused("literal", f"{value} is no number")
    number = int("".join(map(str, digits))) * (-1 if sign else 1)
    shift = exponent + scale
    factor: int = 10 ** abs(shift)
    if shift >= 0:
        return number * factor
    quotient, rest = divmod(number, factor)
    if rest:
        raise Refused("literal", f"{value} has more than {scale} digits after the point")
    return quotient
