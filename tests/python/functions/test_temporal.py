"""Functions of the family temporal: over the dtypes that they take, with nulls, extremes and empty frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import polars as pl
import pytest
from cases import MOMENTS, Case, Cases, aggregate, assert_agree, moments, parameters, some_moments
from polars import col
from samples import pairs


def parts_of_dates(part: Callable[[Any], pl.Expr]) -> Iterator[Case]:
    for dtype in MOMENTS:
        yield str(dtype), moments(dtype), [part(col("a").dt)]
    yield "UTC", moments(pl.Datetime("us")).with_columns(col("a").dt.replace_time_zone("UTC")), [part(col("a").dt)]


def ends_of_the_calendar(part: Callable[[Any], pl.Expr]) -> Iterator[Case]:
    days = pl.Series([2**31 - 1, -(2**31), 95026236, 95026237, -96465292, -96465293, 0], dtype=pl.Int32)
    yield "ends, Date", pl.DataFrame({"a": days.cast(pl.Date), "b": 0}), [part(col("a").dt)]
    ticks = pl.Series([2**63 - 1, -(2**63), 0]).cast(pl.Datetime("ms"))
    yield "ends, Datetime", pl.DataFrame({"a": ticks, "b": 0}), [part(col("a").dt)]


def parts_of_times(part: Callable[[Any], pl.Expr]) -> Iterator[Case]:
    for dtype in MOMENTS[1:]:
        yield str(dtype), moments(dtype), [part(col("a").dt)]
    yield "Time", pairs(pl.Time), [part(col("a").dt)]


PERIODS = ["1d", "3d", "1w", "2w", "1mo", "5mo", "1q", "1y", "100y"]


def of_moments(*operations: Callable[[Any], pl.Expr]) -> Iterator[Case]:
    for dtype in MOMENTS:
        yield str(dtype), moments(dtype), [operation(col("a").dt) for operation in operations]
    yield (
        "UTC",
        moments(MOMENTS[2]).with_columns(col("a").dt.replace_time_zone("UTC")),
        [f(col("a").dt) for f in operations],
    )


def of_moments_with_zones(operation: Callable[[Any], pl.Expr], zones: list[Any] | None = None) -> Iterator[Case]:
    for zone in zones or [None, "UTC", "Europe/Berlin"]:
        for dtype in MOMENTS[1:]:
            rows = some_moments(dtype).select(col("a").dt.replace_time_zone("UTC"))
            rows = rows.select(col("a").dt.convert_time_zone(zone) if zone else col("a").dt.replace_time_zone(None))
            yield f"{dtype} in {zone}", rows, [operation(col("a").dt)]


def truncations() -> Iterator[Case]:
    yield from of_moments(*(partial(lambda every, a: a.truncate(every), every) for every in [*PERIODS, "12h"]))
    parts = ["1h", "90m", "36h", "15s", "250ms", "7us"]
    for dtype in MOMENTS[2:]:
        yield f"{dtype}, parts of days", some_moments(dtype), [col("a").dt.truncate(every) for every in parts]


def offsets() -> Iterator[Case]:
    some = [*PERIODS, "1h", "24h", "1mo2d3h", "1y3mo1w2d", "25us", "7ms1500us", "999ns"]
    yield from of_moments(*(partial(lambda by, a: a.offset_by(by), sign + by) for by in some for sign in ("", "-")))


def totals(unit: str) -> Iterator[Case]:
    for of in ("ms", "us", "ns"):
        total = getattr(col("a").dt, f"total_{unit}")
        rows = pairs(pl.Duration("us")).select(col("a").cast(pl.Duration(of)), b=0)
        yield f"Duration({of})", rows, [total(), total(fractional=True)]


CASES: dict[str, Cases] = {
    "truncate_moment": truncations,
    "offset_by": offsets,
    "month_start": partial(of_moments, lambda a: a.month_start()),
    "month_end": partial(of_moments, lambda a: a.month_end()),
    "date": partial(of_moments, lambda a: a.date()),
    "time": partial(parts_of_times, lambda a: a.time()),
    "timestamp": lambda: of_moments(*(partial(lambda unit, a: a.timestamp(unit), unit) for unit in ("ms", "us", "ns"))),
    "cast_time_unit": lambda: chain(
        *(aggregate([pl.Duration("us"), MOMENTS[2]], col("a").dt.cast_time_unit(unit)) for unit in ("ms", "us", "ns")),
        *(of_moments_with_zones(partial(lambda to, a: a.cast_time_unit(to), unit)) for unit in ("ms", "us", "ns")),
    ),
    "convert_time_zone": partial(of_moments_with_zones, lambda a: a.convert_time_zone("Asia/Tokyo")),
    "replace_time_zone": lambda: chain(
        of_moments_with_zones(lambda a: a.replace_time_zone("UTC"), zones=[None, "UTC"]),
        of_moments_with_zones(lambda a: a.replace_time_zone(None, ambiguous="latest"), zones=[None, "UTC"]),
    ),
    "total_days": partial(totals, "days"),
    "total_hours": partial(totals, "hours"),
    "total_minutes": partial(totals, "minutes"),
    "total_seconds": partial(totals, "seconds"),
    "total_milliseconds": partial(totals, "milliseconds"),
    "total_microseconds": partial(totals, "microseconds"),
    "total_nanoseconds": partial(totals, "nanoseconds"),
    "days_in_month": partial(parts_of_dates, lambda a: a.days_in_month()),
    "century": partial(of_moments, lambda a: a.century()),
    "millennium": partial(of_moments, lambda a: a.millennium()),
    "year": lambda: chain(parts_of_dates(lambda a: a.year()), ends_of_the_calendar(lambda a: a.year())),
    "month": partial(parts_of_dates, lambda a: a.month()),
    "day": partial(parts_of_dates, lambda a: a.day()),
    "weekday": partial(parts_of_dates, lambda a: a.weekday()),
    "ordinal_day": partial(parts_of_dates, lambda a: a.ordinal_day()),
    "quarter": partial(parts_of_dates, lambda a: a.quarter()),
    "week": partial(parts_of_dates, lambda a: a.week()),
    "iso_year": partial(parts_of_dates, lambda a: a.iso_year()),
    "is_leap_year": partial(parts_of_dates, lambda a: a.is_leap_year()),
    "hour": lambda: chain(parts_of_times(lambda a: a.hour()), list(ends_of_the_calendar(lambda a: a.hour()))[1:]),
    "minute": partial(parts_of_times, lambda a: a.minute()),
    "second": partial(parts_of_times, lambda a: a.second()),
    "millisecond": partial(parts_of_times, lambda a: a.millisecond()),
    "microsecond": partial(parts_of_times, lambda a: a.microsecond()),
    "nanosecond": partial(parts_of_times, lambda a: a.nanosecond()),
}


@pytest.mark.parametrize(("frame", "expressions"), parameters(CASES))
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    assert_agree(device, frame, expressions)
