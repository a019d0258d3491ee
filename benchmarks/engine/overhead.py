"""Times what the engine costs around the running of a query, and prints the times as JSON, in milliseconds.

    python benchmarks/engine/overhead.py [--data FOLDER] [--rounds 200]

A select on a frame of 10 rows beside Polars' engines, and by stage; the planning of 50 columns and of PDS-H queries, of
which Polars' own part is told apart. Times are medians of the rounds.
"""

from __future__ import annotations

import json
import statistics
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

import polars as pl
from polars import col

import frazil
from frazil import _frazil as core
from frazil.__main__ import make_data
from frazil.pdsh import QUERIES
from frazil.polars.plan import plan
from frazil.polars.validation import has_checked_joins


def median_ms(work: Callable[[], object], rounds: int) -> float:
    """The median time of some work, after it has run once."""
    work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return round(statistics.median(times) * 1e3, 4)


def planning(query: pl.LazyFrame, rounds: int) -> dict[str, float]:
    """The planning of a query, and what of it Polars needs for its own optimisation and for what it shows of joins."""
    flags, native = pl.QueryOptFlags(), core.Engine()
    return {
        "whole": median_ms(lambda: plan(query, flags, check=native.check), rounds),
        "polars_optimises": median_ms(query.explain, rounds),
        "polars_shows_joins": median_ms(lambda: has_checked_joins(query, flags), rounds),
    }


def small_select(rounds: int) -> dict[str, object]:
    """A select on ten rows: as a whole on each engine, and by stage."""
    query = pl.LazyFrame({"a": range(10), "b": range(10)}).select(col("a") + col("b"))
    flags, native = pl.QueryOptFlags(), core.Engine()
    planned = plan(query, flags, check=native.check)
    assert planned.node is not None
    node = planned.node
    result = native.run(node)
    with frazil.Engine(device="cpu", strict=True) as engine:
        whole = {
            "frazil": median_ms(lambda: query.collect(engine=engine), rounds),
            "polars_in_memory": median_ms(lambda: query.collect(engine="in-memory"), rounds),
            "polars_streaming": median_ms(lambda: query.collect(engine="streaming"), rounds),
        }
    stages = {
        "plan": median_ms(lambda: plan(query, flags), rounds),
        "check": median_ms(lambda: native.check(node), rounds),
        "run": median_ms(lambda: native.run(node), rounds),
        "hand_over": median_ms(lambda: pl.DataFrame(result), rounds),
    }
    return {**whole, "stages": stages}


def main() -> None:
    """Measure, and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path.home() / ".cache" / "frazil" / "pdsh-0.1")
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    make_data(options.data, 0.1)
    names = [f"c{number}" for number in range(50)]
    wide = (
        pl.LazyFrame({name: [1] for name in names}).with_columns(col(name) + 1 for name in names).filter(col("c0") > 1)
    )
    found = {
        "small_select": small_select(options.rounds),
        "plan_50_columns": planning(wide, options.rounds),
        **{f"plan_pdsh_{number}": planning(query(options.data), options.rounds) for number, query in QUERIES.items()},
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
