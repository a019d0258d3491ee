"""What the tests of functions share: a case is a frame and expressions over it, which must give what Polars gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest
from oracle import assert_agreement, outcome
from polars import col
from samples import WHOLES, interesting, pairs, variants

Case = tuple[str, pl.DataFrame, list[pl.Expr]]


Cases = Callable[[], Iterator[Case]]


Binary = Callable[[pl.Expr, pl.Expr], pl.Expr]


def literals(dtype: Any) -> list[pl.Expr]:
    """The lowest and the highest value as literals; none of Time, whose literals reach no engine as they are."""
    return [] if dtype == pl.Time else [pl.lit(interesting(dtype)[index], dtype) for index in (0, -1)]


def of_pairs(dtypes: list[Any], *operations: Binary) -> Iterator[Case]:
    """Operations on two columns of a dtype, and on a column and a literal."""
    for dtype in dtypes:
        expressions = []
        for operation in operations:
            expressions.append(operation(col("a"), col("b")))
            for value in literals(dtype):
                expressions += [operation(col("a"), value), operation(value, col("b"))]
        yield str(dtype), pairs(dtype), expressions


def of_mixed(dtypes: list[tuple[Any, Any]], *operations: Binary) -> Iterator[Case]:
    """Operations on columns of two dtypes."""
    for first, second in dtypes:
        yield f"{first} and {second}", pairs(first, second), [f(col("a"), col("b")) for f in operations]


MIXED_NUMBERS = [(pl.Int8, pl.Int64), (pl.UInt8, pl.Int16), (pl.Int32, pl.Float64), (pl.Float32, pl.Float64)]


MIXED_DECIMALS = [(pl.Decimal(15, 2), pl.Decimal(38, 6)), (pl.Decimal(38, 0), pl.Decimal(15, 2))]


NARROW_WHOLES = [dtype for dtype in WHOLES if dtype not in (pl.UInt64, pl.Int128)]


def aggregate(dtypes: list[Any], *expressions: pl.Expr) -> Iterator[Case]:
    for dtype in dtypes:
        yield str(dtype), pairs(dtype), list(expressions)


MOMENTS: list[Any] = [pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns")]


def moments(dtype: Any) -> pl.DataFrame:
    days = pl.date_range(pl.date(1890, 1, 1), pl.date(2105, 1, 1), "17d", eager=True)
    leaps = [date(1900, 2, 28), date(1900, 3, 1), date(2000, 2, 29), date(2020, 12, 31), date(2021, 1, 3)]
    every = pl.concat([days, pl.Series(leaps)])
    if dtype != pl.Date:
        every = every.cast(dtype) + pl.Series(
            [timedelta(microseconds=n * 7_654_321_987 % 86_400_000_000) for n in range(len(every))]
        )
    return pl.DataFrame({"a": every.cast(dtype), "b": 0})


def durations(*operations: Binary) -> Iterator[Case]:
    for unit in ("ms", "us"):
        rows = pairs(pl.Datetime("us"), pl.Duration("us")).select(
            col("a").cast(pl.Datetime(unit)), col("b").cast(pl.Duration(unit))
        )
        yield f"Datetime and Duration, {unit}", rows, [operation(col("a"), col("b")) for operation in operations]
    yield from of_pairs([pl.Duration("us")], *operations)


def some_moments(dtype: Any) -> pl.DataFrame:
    """Few enough for many expressions; with the leap days, which come last."""
    return pl.concat([moments(dtype)[::41], moments(dtype)[-5:]])


def batched(expressions: list[pl.Expr], size: int) -> Iterator[tuple[pl.Expr, ...]]:
    for begin in range(0, len(expressions), size):
        yield tuple(expressions[begin : begin + size])


def approximate(query: pl.LazyFrame, expressions: tuple[pl.Expr, ...]) -> list[str]:
    """Sums, products and means of floats depend on their order."""
    inexact = (".sum()", ".mean()", ".product()", ".var(", ".std(", ".quantile(")
    summed = [any(word in str(expression) for word in inexact) for expression in expressions]
    if not any(summed):
        return []
    dtypes = query.collect_schema().dtypes()
    return [f"x{i}" for i, dtype in enumerate(dtypes) if summed[i] and dtype.is_float()]


def parameters(cases: dict[str, Cases]) -> list[Any]:
    """What the tests of a family are parametrised by: a frame, and expressions over it."""
    return [
        pytest.param(frame, expressions, id=f"{name}: {what}")
        for name, of_function in cases.items()
        for what, frame, expressions in of_function()
    ]


def assert_agree(device: str, frame: pl.DataFrame, expressions: list[pl.Expr]) -> None:
    """Compare the expressions over variants of the frame with Polars."""
    for rows in variants(frame):
        for some in batched(expressions, 4):
            # Several at once, which is quicker; one by one where an expression raises.
            together = rows.lazy().select(**{f"x{i}": expression for i, expression in enumerate(some)})
            if isinstance(outcome(together, "in-memory"), pl.DataFrame):
                assert_agreement(together, device, approximate=approximate(together, some))
                continue
            for expression in some:
                alone = rows.lazy().select(x0=expression)
                assert_agreement(alone, device, approximate=approximate(alone, (expression,)))
