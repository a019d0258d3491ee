"""Tells on the way how a long query goes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

FIRST = 2.0  # seconds after which a query is long
EVERY = 0.5  # seconds from one word to the next


class Progress(NamedTuple):
    """How a query goes: `seconds` since it began, `bytes_in_use` of the engine, and whether it is `done`."""

    seconds: float
    bytes_in_use: int
    done: bool


def teller(option: bool | Callable[[Progress], None] | None) -> Callable[[Progress], None] | None:
    """Who is to be told, by the engine's option; nobody is None."""
    if callable(option):
        return option
    wanted = sys.stderr is not None and sys.stderr.isatty() if option is None else option
    return write_line if wanted else None


def write_line(progress: Progress) -> None:
    """Keep a line of stderr up to date, and take it away at the end."""
    text = f"frazil: {progress.seconds:.0f} s, {progress.bytes_in_use / 2**20:,.0f} MiB"
    print("\r" + " " * 40 + "\r" if progress.done else f"\r{text:<40}", end="", file=sys.stderr, flush=True)


@contextmanager
def told(tell: Callable[[Progress], None] | None, bytes_in_use: Callable[[], int]) -> Iterator[None]:
    """Tell how the body goes, if it is long. The telling thread ends with the body."""
    if tell is None:
        yield
        return
    start = time.monotonic()
    over = threading.Event()
    said = threading.Event()

    def watch() -> None:
        wait = FIRST
        while not over.wait(wait):
            said.set()
            tell(Progress(time.monotonic() - start, bytes_in_use(), done=False))
            wait = EVERY

    thread = threading.Thread(target=watch, name="frazil progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        if said.is_set():
            tell(Progress(time.monotonic() - start, bytes_in_use(), done=True))
