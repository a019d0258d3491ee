"""Times queries of PDS-H on Frazil beside Polars' streaming engine, in one process, and prints the times as JSON.

    python benchmarks/pdsh/bench.py [--scale 1] [--data FOLDER] [--queries 1,3,6,18] [--device cpu] [--rounds 5]

In each round every query runs on Frazil, Polars, Frazil, Polars. A time is that of `collect`: planning, reading,
running and copying back. Files are warm: each query runs once on both engines before the first round, which also
compares the answers. Both engines use as many threads as this process may; POLARS_MAX_THREADS must not be set. How much
memory a query adds to a process is seen in one of its own for each engine, where it runs once.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from rounds import bench, machine, most_megabytes, peaks, said

import frazil
from frazil.__main__ import make_data
from frazil.pdsh import QUERIES


def main() -> None:
    """Print the machine, the data and the times; exit code 1 if an answer differs."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scale", type=float, default=1.0, help="scale factor; 1 is about 1 GB of text")
    parser.add_argument("--data", type=Path, help="folder of the Parquet files, made if they are missing")
    parser.add_argument("--queries", default="1,3,6,18", help="numbers, separated by commas")
    parser.add_argument("--device", default="cpu", help='"cpu", "cuda" or "cuda:N"')
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peak", help="print the memory that the one query takes on this engine")
    options = parser.parse_args()
    if "POLARS_MAX_THREADS" in os.environ:
        sys.exit("unset POLARS_MAX_THREADS: both engines are to have the same threads")
    folder = options.data or Path("build/data") / f"pdsh-{options.scale:g}"
    make_data(folder, options.scale)
    if options.peak:
        print(most_megabytes(QUERIES[int(options.queries)](folder), options.peak))
        return
    with frazil.Engine(device=options.device) as engine:
        results: dict[str, Any] = {
            "machine": machine() | {"frazil_threads": engine.threads},
            "data": {"scale": options.scale, "files": "warm", "rounds": options.rounds, "order": "ABAB"},
            "queries": {},
        }
        for number in map(int, options.queries.split(",")):
            result = bench(QUERIES[number](folder), engine, options.rounds)
            if options.device == "cpu":
                result["most_megabytes"] = peaks(__file__, ["--data", str(folder), "--queries", str(number)])
            results["queries"][f"Q{number}"] = result
            said(f"Q{number}", result)
    print(json.dumps(results, indent=2))
    sys.exit(0 if all(result["equal"] for result in results["queries"].values()) else 1)


if __name__ == "__main__":
    main()
