"""Times how long Ctrl-C takes to end a query, at random moments of it, and prints the times as JSON, in milliseconds.

    python benchmarks/engine/interrupt.py [--data FOLDER] [--moments 50] [--only WORD]

A query for each operator, for functions and for the decoding of Parquet; also rows on their way to a file, and parts
that run on threads of Polars. After each the engine must hold nothing.
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import statistics
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

import polars as pl
from polars import col

import frazil
from frazil.__main__ import make_data

ROWS = 4_000_000
Work = Callable[[frazil.Engine], object]


def collected(query: pl.LazyFrame) -> Work:
    """The query, collected."""
    return lambda engine: query.collect(engine=engine)


def works(data: Path) -> dict[str, Work]:
    """What is interrupted."""
    key, value, number = col("k"), col("v"), pl.int_range(ROWS)
    table = pl.select(k=number % 1000, v=number * 7919 % ROWS, f=(number * 31 % ROWS) / 7).lazy()
    other = table.collect().with_columns(f=1 - col("f")).lazy()
    few = pl.LazyFrame({"k": [1] * 30_000, "w": range(30_000)})
    pairs = few.join(few, on="k").filter(col("w") + col("w_right") < 0).select(pl.len())
    text = pl.concat_str(value.cast(pl.String), key.cast(pl.String))
    lines = pl.scan_parquet(data / "lineitem.parquet")
    parts = [of.sort("f", "k").head(3_000_000).map_batches(lambda rows: rows.head(9)) for of in (table, other)]
    return {
        "decoding": collected(lines),
        "filter": collected(lines.filter(col("l_comment").str.contains("a.*b.*c"))),
        "functions of text": collected(table.select(x=text).filter(col("x") == "")),
        "functions of numbers": collected(table.select(*(((value * n) % 7 + n).alias(str(n)) for n in range(1, 30)))),
        "group-by, few groups": collected(table.group_by("k").agg(value.sum(), col("f").mean())),
        "group-by, many groups": collected(table.group_by(value * 3).agg(pl.len(), key.sum())),
        "group-by of texts": collected(table.group_by(value.cast(pl.String)).agg(pl.len())),
        "distinct values": collected(table.group_by(value % 100_000).agg(key.n_unique())),
        "distinct rows": collected(table.unique(["v"])),
        "join, build": collected(few.join(table, left_on="w", right_on="v").select(pl.len())),
        "join, probe": collected(table.join(table.filter(value % 2 == 0), on="v").select(pl.len())),
        "join, pairs": collected(pairs),
        "join, cross": collected(few.join(few.head(20_000), how="cross").select(pl.len())),
        "sort": collected(table.sort("f", "k")),
        "sort of texts": collected(table.select(x=text).sort("x")),
        "first rows of a sort": collected(table.sort("k", "v").head(1_000_000)),
        "union": collected(pl.concat([table.filter(key > 3), table.filter(key < 9)])),
        "slice": collected(table.filter(key > 3).slice(100_000, 2_000_000)),
        "rows to a file": lambda engine: table.filter(key > 3).sink_csv("/dev/null", engine=engine),
        "parts below Polars": collected(parts[0].join(parts[1], on="v")),
    }


def answered_ms(work: Work, engine: frazil.Engine, after: float) -> float | None:
    """How long Ctrl-C takes some seconds after the work began; None if the work was done by then."""
    sent = 0.0

    def press() -> None:
        nonlocal sent
        time.sleep(after)
        sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    try:
        thread.start()
        work(engine)
        gone = time.perf_counter()
        thread.join()
        time.sleep(1)  # for the signal to arrive
    except KeyboardInterrupt:
        gone = time.perf_counter()
    thread.join()
    gc.collect()
    assert engine.bytes_in_use == 0, engine.bytes_in_use
    return (gone - sent) * 1e3 if gone > sent else None


def main() -> None:
    """Measure, and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path.home() / ".cache" / "frazil" / "pdsh-1")
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    make_data(options.data, 1)
    random.seed(1)
    found, everything = {}, []
    for name, work in works(options.data).items():
        if options.only not in name:
            continue
        engine = frazil.Engine(device="cpu")
        start = time.perf_counter()
        work(engine)
        seconds = time.perf_counter() - start
        times: list[float] = []
        while len(times) < options.moments:
            taken = answered_ms(work, engine, random.uniform(0, seconds))
            times += [] if taken is None else [taken]
        times.sort()
        everything += times
        p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
        found[name] = {
            "query_ms": round(seconds * 1e3),
            "median": round(statistics.median(times), 1),
            "p99": round(p99, 1),
        }
        print(name, found[name], flush=True, file=__import__("sys").stderr)
        engine.shutdown()
    everything.sort()
    found["all"] = {
        "median": round(statistics.median(everything), 1),
        "p99": round(everything[len(everything) * 99 // 100], 1),
        "moments": len(everything),
    }
    print(json.dumps({"load": [round(load, 1) for load in os.getloadavg()], **found}, indent=1))


if __name__ == "__main__":
    main()
