"""Times what the engine costs around the running of a query, and prints the times as JSON, in milliseconds.

    python benchmarks/engine/overhead.py [--data FOLDER] [--rounds 200]

A select on a frame of 10 rows beside Polars' engines, and by stage; the planning of 50 columns and of PDS-H queries, of
which Polars' own part is told apart from ours. Times are medians of the rounds.
"""

from __future__ import annotations

import json
import statistics
import time
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import polars as pl
from polars import col

import frazil
from frazil import _frazil as core
from frazil.__main__ import make_data
from frazil.pdsh import QUERIES
from frazil.polars.plan import nothing, plan
from frazil.polars.validation import has_checked_joins

T = TypeVar("T")


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
    """The planning of a query: `ours`, which is `translate` and `check`, and what of `whole` is Polars' own.

    polars_optimises: the query as Polars hands it to an engine, which takes nothing of it.
    polars_shows_joins: the physical plan, which is asked for where a join might check its keys.
    """
    flags, native = pl.QueryOptFlags(), core.Engine()
    stages: dict[str, list[float]] = {}

    def timed(stage: str, work: Callable[..., T], *arguments: object) -> T:
        start = time.perf_counter()
        found = work(*arguments)
        stages[stage].append(stages[stage].pop() + time.perf_counter() - start)
        return found

    def untouched() -> None:
        switches: Any = (optimizations := flags.__copy__())._pyoptflags
        switches.gpu = True
        pl.InMemoryEngine().collect(
            query, optimizations=optimizations, post_opt_callback=lambda traverser, *_: traverser.set_udf(nothing)
        )

    names = ("whole", "polars_optimises", "polars_shows_joins", "check")
    with patch("frazil.polars.plan.has_checked_joins", partial(timed, "polars_shows_joins", has_checked_joins)):
        for _ in range(rounds + 1):
            for name in names:
                stages.setdefault(name, []).append(0.0)
            timed("whole", partial(plan, query, flags, check=partial(timed, "check", native.check)))
            timed("polars_optimises", untouched)
    times_of = {name: [1e3 * seconds for seconds in times[1:]] for name, times in stages.items()}
    whole, optimises, joins, check = times_of.values()
    ours = [all_of_it - a - b for all_of_it, a, b in zip(whole, optimises, joins, strict=True)]
    translate = [a - b for a, b in zip(ours, check, strict=True)]
    found = {"ours": ours, "translate": translate, **times_of}
    return {name: round(statistics.median(times), 4) for name, times in found.items()}


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
