"""Polars is the oracle: a query must give the same on both, whatever the batches and threads."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cache
from typing import Any, Literal

import polars as pl

import frazil

# Rows of a batch (0: as many as Frazil likes) and threads of the engines that answer each query. The few are for
# builds that are slow.
ENGINES = [(rows, threads) for rows in (1, 7, 0) for threads in (1, 4)]
FEW_ENGINES = [(7, 4), (0, 1)]
TOLERANCE = 1e-9  # relative, of float sums

Outcome = pl.DataFrame | type[BaseException]


few = False  # the tests' option --few


@cache
def engines(device: str) -> list[frazil.Engine]:
    """Strict engines, one for each size of batches and number of threads."""
    return [
        frazil.Engine(device=device, strict=True, batch_rows=rows, threads=threads)
        for rows, threads in (FEW_ENGINES if few else ENGINES)
    ]


def outcome(query: pl.LazyFrame, engine: Any) -> Outcome:
    """The result, or the class of what was raised; a refusal goes through, as it is no outcome."""
    try:
        return query.collect(engine=engine)
    except frazil.UnsupportedError:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, it must be raised by both
        return type(error)


def assert_agreement(
    query: pl.LazyFrame,
    device: str,
    *,
    ordered: bool = True,
    approximate: Collection[str] = (),
    oracle: Literal["in-memory", "streaming"] = "in-memory",
) -> Outcome:
    """Run the query on Polars and on every engine.

    ordered: whether the order of rows must be Polars'.
    approximate: float columns that may differ by TOLERANCE; all others must have the same bits, but for NaNs.
    oracle: which of Polars' engines is right, where they differ.
    """
    expected = outcome(query, oracle)
    for engine in engines(device):
        actual = outcome(query, engine)
        difference = differ(actual, expected, ordered=ordered, approximate=approximate)
        assert difference is None, f"{engine!r}: {difference}\nFrazil: {actual}\nPolars: {expected}\n{query.explain()}"
        if isinstance(actual, pl.DataFrame):
            assert engine.last_report is not None
            assert engine.last_report.native
    return expected


def differ(actual: Outcome, expected: Outcome, *, ordered: bool, approximate: Collection[str]) -> str | None:
    """What is different, if anything is."""
    if not isinstance(actual, pl.DataFrame) or not isinstance(expected, pl.DataFrame):
        return None if actual is expected else "outcome"
    if actual.schema != expected.schema:
        return "schema"
    if actual.height != expected.height:
        return "height"
    if ordered and not approximate and all(map(same, actual, expected)):
        return None
    exact = [name for name in expected.columns if name not in approximate]
    given, wanted = (in_order(frame, exact, ordered=ordered) for frame in (actual, expected))
    for row, (a, b) in enumerate(zip(given, wanted, strict=True)):
        alike = (close(a[name], b[name]) if name in approximate else a[name] == b[name] for name in wanted[row])
        if not all(alike):
            return f"row {row}: {a}, not {b}"
    return None


def same(given: pl.Series, wanted: pl.Series) -> bool:
    """Whether two columns are known to be equal, zeros with their signs; quicker than to look at each value."""
    if not wanted.dtype.is_float():
        return "Float" not in str(wanted.dtype) and given.equals(wanted)
    signs = (1 / column.filter(column == 0) for column in (given, wanted))
    return given.equals(wanted) and next(signs).equals(next(signs))


def in_order(frame: pl.DataFrame, exact: Collection[str], *, ordered: bool) -> list[dict[str, Any]]:
    """The rows, with exact values as text, which tells 0.0 from -0.0 but not NaN from NaN; sorted by these."""
    rows = [{name: repr(row[name]) if name in exact else row[name] for name in row} for row in frame.rows(named=True)]
    return rows if ordered else sorted(rows, key=lambda row: [row[name] for name in exact])


def close(a: float | None, b: float | None) -> bool:
    """Whether two floats are equal within TOLERANCE; nulls and NaNs equal themselves."""
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=0.0) or (math.isnan(a) and math.isnan(b))
