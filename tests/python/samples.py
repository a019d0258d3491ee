"""Values worth testing with, of each dtype, and frames of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import polars as pl

SIGNED = [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128]
UNSIGNED = [pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64]
WHOLES: list[Any] = [*SIGNED, *UNSIGNED]
FLOATS: list[Any] = [pl.Float32, pl.Float64]
DECIMALS: list[Any] = [pl.Decimal(38, 0), pl.Decimal(15, 2), pl.Decimal(38, 6)]
TIMES: list[Any] = [pl.Date, pl.Datetime("us"), pl.Datetime("ms", "Europe/Berlin"), pl.Duration("us"), pl.Time]
NUMBERS: list[Any] = [*WHOLES, *FLOATS, *DECIMALS]
ALL: list[Any] = [*NUMBERS, pl.Boolean, pl.String, *TIMES]

LONG = "a string that does not fit into a view"


def interesting(dtype: Any) -> list[Any]:
    """Extremes, zeros, signs and neighbours, all different and none of them null."""
    if dtype.is_integer():
        bits = int(str(dtype).lstrip("UInt"))
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.is_signed_integer() else (0, 2**bits - 1)
        return [low, low + 1, *([-1] if low else []), 0, 1, 2, 7, high - 1, high]
    if dtype.is_float():
        top, tiny = (3.4028234663852886e38, 1e-45) if dtype == pl.Float32 else (1.7976931348623157e308, 5e-324)
        return [float("-inf"), -top, -1.5, -tiny, -0.0, 0.0, tiny, 0.1, 1.0, top, float("inf"), float("nan")]
    if dtype.is_decimal():
        unit = Decimal(1).scaleb(-dtype.scale)
        return [n * unit for n in (-99999999999, -150, -5, -1, 0, 1, 5, 15, 25, 12345678, 99999999999)]
    match dtype.base_type():
        case pl.Boolean:
            return [False, True]
        case pl.String:
            return [
                "",
                "a",
                "B",
                "aa",
                "twelve bytes",
                "thirteen byte",
                LONG,
                LONG + "s",
                "ä",
                "日本語",
                "\x00",
                "a\x00",
            ]
        case pl.Date:
            return [date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29), date(9999, 12, 31)]
        case pl.Datetime:
            return [datetime(1890, 1, 1, 2, 3), datetime(1970, 1, 1), datetime(2024, 3, 31, 12, 0, 0, 5000)]
        case pl.Duration:
            return [timedelta(days=-3), timedelta(0), timedelta(microseconds=1), timedelta(days=100_000)]
        case pl.Time:
            return [time(0), time(0, 0, 0, 1), time(12, 34, 56), time(23, 59, 59, 999_999)]
    raise ValueError(dtype)


def series(name: str, values: Sequence[Any], dtype: Any) -> pl.Series:
    """A column; a Datetime with a zone holds the values as UTC."""
    if isinstance(dtype, pl.Datetime) and dtype.time_zone:
        plain = pl.Series(name, values, pl.Datetime(dtype.time_unit))
        return plain.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
    return pl.Series(name, values, dtype)


def with_nulls(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with nulls in every column, at places that differ from column to column."""
    rows = pl.int_range(frame.height)
    return frame.select(
        pl.when(rows % (3 + number) != number % 3).then(pl.col(name)).alias(name)
        for number, name in enumerate(frame.columns)
    )


def pairs(first: Any, second: Any | None = None) -> pl.DataFrame:
    """Columns a and b with each interesting value of the first dtype beside each of the second, or of the same."""
    second = first if second is None else second
    both = list(product(interesting(first), interesting(second)))
    return pl.DataFrame([series("a", [a for a, _ in both], first), series("b", [b for _, b in both], second)])


def variants(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The frame as it is, with nulls, of nulls only, in two chunks of which one is sliced, and empty."""
    nulls = with_nulls(frame)
    yield frame
    yield nulls
    yield frame.clear(n=3)
    yield pl.concat([nulls[1:], frame[2:9]], rechunk=False)
    yield frame.clear()
