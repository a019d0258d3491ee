"""Tells on the way how a long query goes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from frazil import _frazil as core

FIRST = 2.0  # seconds after which a query is long
EVERY = 0.5  # seconds from one word to the next
WIDTH = 72  # of the line


class Progress(NamedTuple):
    """How a query goes.

    seconds: since it began.
    bytes_in_use: of the engine.
    done: whether this is the last word.
    fraction: of the work that Frazil has done, from 0 to 1; None as long as it has begun nothing, or if Polars runs all
        of it. What Polars does is not part of it.
    rows_done, rows: that pipelines have read, of those that all pipelines which have begun will read.
    """

    seconds: float
    bytes_in_use: int
    done: bool
    fraction: float | None = None
    rows_done: int = 0
    rows: int = 0


def teller(option: bool | Callable[[Progress], None] | None) -> Callable[[Progress], None] | None:
    """Who is to be told, by the engine's option; nobody is None."""
    if callable(option):
        return option
    wanted = sys.stderr is not None and sys.stderr.isatty() if option is None else option
    return write_line if wanted else None


def write_line(progress: Progress) -> None:
    """Keep a line of stderr up to date, and take it away at the end."""
    print("\r" + " " * WIDTH + "\r" if progress.done else f"\r{line_of(progress):<{WIDTH}}", end="", file=sys.stderr)
    sys.stderr.flush()


def line_of(progress: Progress) -> str:
    """The line that tells how a query goes."""
    far = "" if progress.fraction is None else f"{progress.fraction:4.0%}, {progress.rows_done:,} rows, "
    return f"frazil: {far}{progress.seconds:.0f} s, {progress.bytes_in_use / 2**20:,.0f} MiB"


@contextmanager
def told(tell: Callable[[Progress], None] | None, bytes_in_use: Callable[[], int], query: core.Query) -> Iterator[None]:
    """Tell how the body, which runs a query, goes if it is long. The telling thread ends with the body."""
    if tell is None:
        yield
        return
    start = time.monotonic()
    over = threading.Event()
    said = threading.Event()

    def say(*, done: bool) -> None:
        tell(
            Progress(time.monotonic() - start, bytes_in_use(), done, query.fraction, query.rows_done, query.rows),
        )

    def watch() -> None:
        wait = FIRST
        while not over.wait(wait):
            said.set()
            say(done=False)
            wait = EVERY

    thread = threading.Thread(target=watch, name="frazil progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        if said.is_set():
            say(done=True)
