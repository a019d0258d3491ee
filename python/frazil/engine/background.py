"""A query that runs on a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

import polars as pl

T = TypeVar("T")


class BackgroundQuery:
    """The handle of `collect(background=True)`; it may be dropped while the query runs.

    The interpreter waits at its exit for the query, as for any other thread.

    stop: ends what Frazil runs of the query.
    """

    def __init__(self, collect: Callable[[], pl.DataFrame], stop: Callable[[], None]) -> None:
        self._stop = stop
        self._result: Future[pl.DataFrame] = Future()
        Thread(target=_run, args=(collect, self._result), name="frazil query").start()

    def cancel(self) -> None:
        """Give up the result, and end the query. What Polars runs of it goes on, but what it gives is dropped."""
        if self._result.cancel():
            self._stop()

    def fetch(self) -> pl.DataFrame | None:
        """The result, or None if it is not there yet; raises what the query raised."""
        return self.fetch_blocking() if self._result.done() else None

    def fetch_blocking(self) -> pl.DataFrame:
        """The result, waiting for it; raises what the query raised, ComputeError after `cancel`."""
        try:
            return self._result.result()
        except CancelledError:
            raise pl.exceptions.ComputeError("the query was cancelled") from None


def _run(collect: Callable[[], pl.DataFrame], result: Future[pl.DataFrame]) -> None:
    with suppress(InvalidStateError):  # the result was given up
        try:
            result.set_result(collect())
        except BaseException as error:  # noqa: BLE001  raised again by fetch
            result.set_exception(error)


def run_async(work: Callable[[], T], *, gevent: bool) -> Any:
    """Run on a thread: an awaitable of the running event loop, or a gevent result with `get(block, timeout)`."""
    if gevent:
        from gevent import get_hub  # type: ignore[import-untyped]

        return get_hub().threadpool.spawn(work)
    return asyncio.get_running_loop().run_in_executor(None, work)
