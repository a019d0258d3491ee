"""Values worth testing with, of each dtype, and frames of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import product
from random import Random
from typing import Any

import polars as pl

SIGNED: list[Any] = [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128]
UNSIGNED: list[Any] = [pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64]
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


def payload(rows: int) -> pl.DataFrame:
    """Columns that operators only pass on, of dtypes that nothing is computed with, with nulls."""
    every: dict[str, tuple[list[Any], Any]] = {
        "list": ([[1, None], [], None, [7]], pl.List(pl.Int64)),
        "array": ([[1, 2], None, [None, 4]], pl.Array(pl.Int16, 2)),
        "struct": ([{"x": 1, "y": "one"}, {"x": None, "y": LONG}, None], pl.Struct({"x": pl.Int8, "y": pl.String})),
        "categorical": (["red", None, "green", "red", "blue"], pl.Categorical()),
        "enum": (["low", "high", None], pl.Enum(["low", "high"])),
        "binary": ([b"\x00\xff", None, b"more than twelve bytes"], pl.Binary),
        "null": ([None], pl.Null),
        "u128": ([0, 2**128 - 1, None], pl.UInt128),
    }
    return pl.DataFrame(
        [
            pl.Series(name, [values[row % len(values)] for row in range(rows)], dtype)
            for name, (values, dtype) in every.items()
        ]
    )


def random_rows(rows: int, seed: int = 0) -> pl.DataFrame:
    """Rows that fill more than one tile: an ordinal, keys with few and with many values, decimals, floats and text."""
    random = Random(seed)
    few = [random.randrange(5) for _ in range(rows)]
    return pl.DataFrame(
        {
            "ordinal": pl.Series(range(rows), dtype=pl.Int64),
            "few": pl.Series([None if value == 4 else value for value in few], dtype=pl.Int32),
            "many": pl.Series([random.randrange(rows or 1) for _ in range(rows)], dtype=pl.Int64),
            "price": pl.Series(
                [Decimal(random.randrange(-(10**7), 10**7)).scaleb(-2) for _ in range(rows)], dtype=pl.Decimal(15, 2)
            ),
            "real": pl.Series([random.gauss(0, 1e3) for _ in range(rows)], dtype=pl.Float64),
            "text": pl.Series([random.choice(["", "a", "b", LONG, None]) for _ in range(rows)], dtype=pl.String),
        }
    )
