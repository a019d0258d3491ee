"""Times queries of PDS-H on Frazil beside Polars' streaming engine, in one process, and prints the times as JSON.

    python benchmarks/pdsh/bench.py [--scale 1] [--data FOLDER] [--queries 1,3,6,18] [--device cpu] [--rounds 5]

In each round every query runs on Frazil, Polars, Frazil, Polars. A time is that of `collect`: planning, reading,
running and copying back. Files are warm: each query runs once on both engines before the first round, which also
compares the answers. Both engines use as many threads as this process may; POLARS_MAX_THREADS must not be set.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import polars as pl

import frazil
from frazil.__main__ import equal, make_data, timed
from frazil.pdsh import QUERIES


def processor() -> str:
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine() -> dict[str, Any]:
    """What the times depend on, but for the data."""
    pages, page_bytes = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(pages * page_bytes / 1e9, 1),
        "system": platform.platform(),
        "load_at_start": os.getloadavg()[0],
        "python": platform.python_version(),
        "polars": pl.__version__,
        "polars_threads": pl.thread_pool_size(),
        "frazil": frazil.__version__,
    }


def bench(query: pl.LazyFrame, engine: frazil.Engine, rounds: int) -> dict[str, Any]:
    """Times of one query in seconds, and whether all of it ran on Frazil and gave Polars' answer."""
    streaming = pl.StreamingEngine()
    same = equal(query.collect(engine=engine), query.collect(engine=streaming))
    report = engine.last_report
    seconds: dict[str, list[float]] = {"frazil": [], "polars": []}
    for _ in range(2 * rounds):
        seconds["frazil"].append(timed(query, engine)[1])
        seconds["polars"].append(timed(query, streaming)[1])
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    return {
        "native": report is not None and report.native,
        "device": report.device if report else "",
        "equal": same,
        "median_seconds": medians,
        "polars_over_frazil": medians["polars"] / medians["frazil"],
        "seconds": seconds,
    }


def main() -> None:
    """Print the machine, the data and the times; exit code 1 if an answer differs."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scale", type=float, default=1.0, help="scale factor; 1 is about 1 GB of text")
    parser.add_argument("--data", type=Path, help="folder of the Parquet files, made if they are missing")
    parser.add_argument("--queries", default="1,3,6,18", help="numbers, separated by commas")
    parser.add_argument("--device", default="cpu", help='"cpu", "cuda" or "cuda:N"')
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if "POLARS_MAX_THREADS" in os.environ:
        sys.exit("unset POLARS_MAX_THREADS: both engines are to have the same threads")
    folder = options.data or Path("build/data") / f"pdsh-{options.scale:g}"
    make_data(folder, options.scale)
    with frazil.Engine(device=options.device) as engine:
        results: dict[str, Any] = {
            "machine": machine() | {"frazil_threads": engine.threads},
            "data": {"scale": options.scale, "files": "warm", "rounds": options.rounds, "order": "ABAB"},
            "queries": {},
        }
        for number in map(int, options.queries.split(",")):
            result = bench(QUERIES[number](folder), engine, options.rounds)
            results["queries"][f"Q{number}"] = result
            medians = result["median_seconds"]
            print(
                f"Q{number}: {medians['frazil']:.4f} s, Polars {medians['polars']:.4f} s", file=sys.stderr, flush=True
            )
    print(json.dumps(results, indent=2))
    sys.exit(0 if all(result["equal"] for result in results["queries"].values()) else 1)


if __name__ == "__main__":
    main()
