"""What benchmarks share: the machine, times of two engines in turns, and how much memory each takes."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl

import frazil
from frazil.__main__ import equal, timed

ENGINES = ("frazil", "polars")


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


def in_order(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows in an order that floats, which may differ a little, have no say in."""
    return frame.sort([name for name, dtype in frame.schema.items() if not dtype.is_float()] or frame.columns)


def bench(query: pl.LazyFrame, engine: frazil.Engine, rounds: int, *, ordered: bool = True) -> dict[str, Any]:
    """Times of one query in seconds, and whether all of it ran on Frazil and gave Polars' answer."""
    streaming = pl.StreamingEngine()
    answers = [query.collect(engine=one) for one in (engine, streaming)]
    same = equal(*answers) if ordered else equal(*map(in_order, answers))
    del answers
    report = engine.last_report
    seconds: dict[str, list[float]] = {name: [] for name in ENGINES}
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


def said(name: str, result: dict[str, Any]) -> None:
    """Tell of a result while the others run."""
    medians = result["median_seconds"]
    print(f"{name}: {medians['frazil']:.4f} s, Polars {medians['polars']:.4f} s", file=sys.stderr, flush=True)


def most_megabytes(query: pl.LazyFrame, engine_name: str) -> float:
    """How much a query adds to the memory that this process has, at most; the result is part of it."""
    engine: Any = frazil.Engine(device="cpu") if engine_name == "frazil" else pl.StreamingEngine()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now what the process has
    before = resident_megabytes("VmRSS")
    query.collect(engine=engine)
    return resident_megabytes("VmHWM") - before


def resident_megabytes(line: str) -> float:
    """A line of what the system tells of this process."""
    told = Path("/proc/self/status").read_text().partition(f"{line}:")[2]
    return int(told.split()[0]) / 1024


def peaks(script: str, arguments: list[str]) -> dict[str, float]:
    """Of each engine, in a process that runs `script` with `--peak ENGINE` and prints the number."""
    command = [sys.executable, script, *arguments, "--peak"]
    return {
        name: round(float(subprocess.run([*command, name], check=True, capture_output=True, text=True).stdout), 1)
        for name in ENGINES
    }
