"""Functions of the family arithmetic: over the dtypes that they take, with nulls, extremes and empty frames."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Any

import polars as pl
import pytest
from cases import (
    MIXED_DECIMALS,
    MIXED_NUMBERS,
    MOMENTS,
    Binary,
    Case,
    Cases,
    aggregate,
    assert_agree,
    durations,
    moments,
    of_mixed,
    of_pairs,
    parameters,
)
from polars import col
from samples import DECIMALS, FLOATS, NUMBERS, SIGNED, TIMES, WHOLES, interesting, pairs


def arithmetic(operation: Binary) -> Iterator[Case]:
    yield from of_pairs([*WHOLES, *FLOATS, *DECIMALS], operation)
    yield from of_mixed([*MIXED_NUMBERS, *MIXED_DECIMALS], operation)
    money = pl.DataFrame({"a": ["9" * 38, "1" + "0" * 37, "5", "-" + "9" * 38]}).select(
        col("a").cast(pl.Decimal(38, 0))
    )
    for rows in (money, money[1:3], money[2:3]):  # some overflow, and some do not
        yield (
            "Decimal(38, 0), large",
            rows,
            [operation(col("a"), col("a")), operation(col("a"), pl.lit(Decimal("1.5")))],
        )
    halves = pl.DataFrame({"a": [f"{n}.5" for n in range(-6, 7)]}).select(col("a").cast(pl.Decimal(10, 1)))
    yield "Decimal(10, 1), halves", halves, [operation(col("a"), pl.lit(Decimal("0.5"))), operation(col("a"), col("a"))]


def quotients_of_decimals() -> Iterator[Case]:
    for dtype in DECIMALS:
        rows = pairs(dtype)
        yield f"{dtype}", rows.filter(col("b") != 0), [col("a") / col("b"), col("a") / Decimal("0.07")]
        yield f"{dtype}, by zero", rows, [col("a") / col("b")]
    for first, second in MIXED_DECIMALS:
        yield f"{first} by {second}", pairs(first, second).filter(col("b") != 0), [col("a") / col("b")]


def quotients_of_wholes(operation: Binary) -> Iterator[Case]:
    yield from of_pairs(WHOLES, operation)
    zeros = [operation(col("a"), pl.lit(value, pl.Int64)) for value in (0, 1, -1, 3, -3)]
    yield "Int64 by literals", pairs(pl.Int64), zeros


def quotients_of_floats(operation: Binary) -> Iterator[Case]:
    yield from of_pairs(FLOATS, operation)
    some = pl.DataFrame({"a": [7.5, -7.5, 0.3, -0.3, 1e17, 5.0], "b": [2.0, -2.0, 0.1, 0.7, 3.0, 0.0]})
    for dtype in FLOATS:
        by = [operation(col("a"), pl.lit(value, dtype)) for value in (2.0, -3.0, 0.1, 0.7)]
        yield f"{dtype}, fractions", some.select(pl.all().cast(dtype)), [operation(col("a"), col("b")), *by]


def roundings(*operations: Callable[[pl.Expr], pl.Expr]) -> Iterator[Case]:
    expressions = [operation(col("a")) for operation in operations]
    yield from aggregate(NUMBERS, *expressions)
    halves = [sign * (whole + half) for whole in (0, 1, 2, 9, 2**40) for half in (0.25, 0.5, 0.75) for sign in (1, -1)]
    some = [*halves, 0.49999999999999994, 1.005, 2.675, 1e22, 123456.789, 1e-300]
    for dtype in FLOATS:
        yield f"{dtype}, halves", pl.DataFrame({"a": pl.Series(some, dtype=dtype), "b": 0}), expressions
    money = pl.Series([Decimal(n) / 100 for n in range(-270, 270, 5)], dtype=pl.Decimal(6, 2))
    yield "Decimal(6, 2), halves", pl.DataFrame({"a": money, "b": 0}), expressions
    large = pl.Series([Decimal("9" * 36 + ".99"), Decimal(1), Decimal("-" + "9" * 36 + ".49")], dtype=pl.Decimal(38, 2))
    for rows in (large, large[1:], large[1:2]):  # some overflow, and some do not
        yield "Decimal(38, 2), large", pl.DataFrame({"a": rows, "b": 0}), expressions


def rounds() -> Iterator[Case]:
    digits = (0, 1, 2, 5, 17, 25, 200, 330)
    modes: list[Any] = ["half_to_even", "half_away_from_zero"]
    yield from roundings(*(partial(pl.Expr.round, decimals=some, mode=mode) for some in digits for mode in modes))


def clips() -> Iterator[Case]:
    for dtype in [*NUMBERS, *TIMES[:2], TIMES[3]]:
        low, high = interesting(dtype)[2], interesting(dtype)[-3]
        bounds = [(low, high), (high, low), (None, high), (low, None), (col("b"), high), (low, col("b"))]
        expressions = [
            col("a").clip(
                *(side if side is None or isinstance(side, pl.Expr) else pl.lit(side, dtype) for side in pair)
            )
            for pair in [*bounds, (col("b"), col("b")), (col("b"), None), (None, col("b"))]
        ]
        if dtype in NUMBERS:
            expressions += [col("a").clip(0, 5), col("a").clip(7, 2), col("a").clip(upper_bound=pl.lit(None, dtype))]
        if dtype in FLOATS:
            expressions += [col("a").clip(-0.5, 0.1), col("a").clip(0.0, float("nan"))]
        yield str(dtype), pairs(dtype), expressions


def powers() -> Iterator[Case]:
    yield from aggregate([*WHOLES, *FLOATS], *(col("a") ** power for power in (0, 1, 2, 3, 5)))
    yield from aggregate(WHOLES, col("a") ** 16, col("a") ** 2.0, col("a") ** 0.5)
    yield from aggregate(FLOATS, col("a") ** 9, col("a") ** 0.5, col("a") ** 2.0)


def fused() -> Iterator[Case]:
    c = col("a") - 0.3
    for dtype in FLOATS:
        expressions = [
            col("a") * col("b") + c,
            c + col("a") * col("b"),
            col("a") * col("b") - c,
            c - col("a") * col("b"),
        ]
        yield str(dtype), pairs(dtype), expressions


MOMENTS_AND_DURATIONS = [(a, pl.Duration(unit)) for a in (*MOMENTS[:3], pl.Duration("ms")) for unit in ("ms", "us")]


def with_unit(dtype: Any) -> pl.DataFrame:
    """Moments, or durations of each sign."""
    if isinstance(dtype, pl.Duration):
        return pairs(pl.Duration("us")).select(pl.all().cast(dtype))
    return moments(dtype)[::40].select("a")


def moments_of_units() -> Iterator[Case]:
    for first, second in MOMENTS_AND_DURATIONS:
        spans = [timedelta(hours=-30), timedelta(0), timedelta(days=3, microseconds=1), timedelta(microseconds=-1)]
        rows = with_unit(first).join(pl.DataFrame({"b": pl.Series(spans).cast(second)}), how="cross")
        yield f"{first} and {second}", rows, [col("a") + col("b"), col("b") + col("a"), col("a") + spans[2]]


def differences_of_moments() -> Iterator[Case]:
    for _, rows, _ in moments_of_units():
        yield f"{rows.schema['a']} and {rows.schema['b']}", rows, [col("a") - col("b"), col("a") - timedelta(days=1)]
    for first in MOMENTS[:3]:
        for second in MOMENTS[:3]:
            rows = moments(first)[::25].select("a", b=col("a").reverse().cast(second))
            yield f"{first} and {second}", rows, [col("a") - col("b"), col("a") - date(2000, 1, 1)]


def scaled_durations(operation: Binary) -> Iterator[Case]:
    for dtype in (pl.Int8, pl.Int64, pl.UInt32, *FLOATS):
        rows = pairs(pl.Duration("us"), dtype)
        numbers = [operation(col("a"), col("b")), operation(col("a"), 3), operation(col("a"), 0.7)]
        yield f"Duration and {dtype}", rows, numbers
        if operation is operator.mul:
            yield f"{dtype} and Duration", rows, [operation(col("b"), col("a")), operation(2, col("a"))]


CASES: dict[str, Cases] = {
    "round": rounds,
    "floor": partial(roundings, pl.Expr.floor),
    "ceil": partial(roundings, pl.Expr.ceil),
    "truncate": lambda: roundings(*(partial(pl.Expr.truncate, decimals=some) for some in (0, 1, 3))),
    "clip": clips,
    "sign": partial(aggregate, NUMBERS, col("a").sign()),
    "sqrt": lambda: aggregate(NUMBERS, col("a").sqrt()),
    "pow": powers,
    "fused": fused,
    "add": lambda: chain(
        arithmetic(operator.add),
        of_pairs([pl.String], operator.add),
        durations(operator.add, lambda a, b: b + a),
        moments_of_units(),
    ),
    "subtract": lambda: chain(
        arithmetic(operator.sub),
        durations(operator.sub),
        of_pairs([pl.Datetime("us")], operator.sub),
        differences_of_moments(),
    ),
    "multiply": lambda: chain(arithmetic(operator.mul), scaled_durations(operator.mul)),
    "divide": lambda: chain(
        of_pairs(FLOATS, operator.truediv),
        quotients_of_decimals(),
        of_pairs(WHOLES[:4], operator.truediv),
        scaled_durations(operator.truediv),
        of_pairs([pl.Duration("us")], operator.truediv),
    ),
    "modulo": lambda: chain(quotients_of_wholes(operator.mod), quotients_of_floats(operator.mod)),
    "floor_divide": lambda: chain(quotients_of_wholes(operator.floordiv), quotients_of_floats(operator.floordiv)),
    "negate": lambda: aggregate([*SIGNED[:-1], *FLOATS, *DECIMALS, pl.Duration("us")], -col("a")),
    "abs": lambda: aggregate([*NUMBERS, pl.Duration("us")], col("a").abs()),
}


@pytest.mark.parametrize(("frame", "expressions"), parameters(CASES))
def test_a_function_agrees_with_polars(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    assert_agree(device, frame, expressions)
