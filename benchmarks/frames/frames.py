"""Times queries over frames in memory on Frazil beside Polars' streaming engine, and prints the times as JSON.

    python benchmarks/frames/frames.py [--rows 10000000] [--only WORD] [--rounds 5]

In each round every query runs on Frazil, Polars, Frazil, Polars; a time is that of `collect`. Then each query runs once
on each engine in a process of its own, which tells how much memory it adds. POLARS_MAX_THREADS must not be set.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from polars import col

sys.path.insert(0, str(Path(__file__).parents[1]))
from rounds import bench, machine, most_megabytes, peaks, said

import frazil


def mixed(number: pl.Expr, below: int) -> pl.Expr:
    """Whole numbers without an order that helps."""
    return (number * 2_654_435_761 + 12_345) % 1_000_000_007 % below


def frame(rows: int) -> pl.DataFrame:
    """Keys of 10, 10 k and 1 M values, whole numbers, floats and texts."""
    number = pl.int_range(rows, dtype=pl.Int64)
    return pl.select(
        few=mixed(number, 10),
        some=mixed(number * 7, 10_000),
        many=mixed(number * 13, 1_000_000),
        whole=mixed(number * 31, 1_000_000_000),
        real=mixed(number * 17, 999_983) / 999_983,
    ).with_columns(text=pl.concat_str(pl.lit("order "), col("whole"), pl.lit(" of "), col("some")))


def queries(rows: pl.DataFrame) -> dict[str, pl.LazyFrame]:
    """What is timed, by name."""
    table = rows.lazy()
    total = [col("whole").sum(), col("real").mean(), pl.len()]
    key = pl.int_range(1_000_000, dtype=pl.Int64)
    unique = pl.select(many=key, name=mixed(key, 1000)).lazy()
    three = pl.select(many=mixed(pl.int_range(3_000_000, dtype=pl.Int64), 1_000_000)).with_columns(name=col("many") % 7)
    half = unique.filter(col("many") % 2 == 0)
    return {
        "filter": table.filter((col("real") < 0.1) & (col("few") != 3)).select("many", "whole", "real", "text"),
        "group_by_10": table.group_by("few").agg(total),
        "group_by_10k": table.group_by("some").agg(total),
        "group_by_1m": table.group_by("many").agg(total),
        "join_unique": table.select("many", "whole").join(unique, on="many"),
        "join_one_to_many": table.select("many", "whole")
        .join(three.lazy(), on="many")
        .select(total[0], col("name").sum()),
        "join_missing_keys": table.select("many", "whole").join(half, on="many", how="left"),
        "sort_whole": table.select("whole", "real").sort("whole"),
        "sort_two_keys": table.select("few", "real").sort("few", "real", descending=[False, True]),
        "sort_text": table.select("text").sort("text"),
        "contains_literal": table.filter(col("text").str.contains("77 of", literal=True)).select("whole"),
        "contains_pattern": table.filter(col("text").str.contains("1.*9 of 9")).select("whole"),
    }


def main() -> None:
    """Print the machine, the times and the memory; exit code 1 if an answer differs."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", default="", help="queries with this word in their name")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peak", help="print the memory that the one query takes on this engine")
    parser.add_argument("--data", type=Path, help="the frame, for this")
    options = parser.parse_args()
    if "POLARS_MAX_THREADS" in os.environ:
        sys.exit("unset POLARS_MAX_THREADS: both engines are to have the same threads")
    if options.peak:
        rows = pl.read_ipc(options.data)
        print(most_megabytes(queries(rows)[options.only], options.peak))
        return
    chosen = {name: query for name, query in queries(frame(options.rows)).items() if options.only in name}
    with frazil.Engine(device="cpu", strict=True) as engine:
        results: dict[str, Any] = {
            "machine": machine() | {"frazil_threads": engine.threads},
            "data": {"rows": options.rows, "rounds": options.rounds, "order": "ABAB"},
            "queries": {},
        }
        for name, query in chosen.items():
            results["queries"][name] = bench(query, engine, options.rounds, ordered="sort" in name)
            said(name, results["queries"][name])
    with TemporaryDirectory() as folder:
        data = str(Path(folder) / "frame")
        frame(options.rows).write_ipc(data)  # reading it leaves no other memory behind, as making it would
        for name, result in results["queries"].items():
            result["most_megabytes"] = peaks(__file__, ["--data", data, "--only", name])
    print(json.dumps(results, indent=2))
    sys.exit(0 if all(result["equal"] for result in results["queries"].values()) else 1)


if __name__ == "__main__":
    main()
