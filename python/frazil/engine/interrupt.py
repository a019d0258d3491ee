"""Ctrl-C while Polars waits for us on threads of its own, to which Python does not tell signals."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from frazil import _frazil as core

T = TypeVar("T")
NOBODY = -1  # that was told of signals before


@contextmanager
def ended_by_ctrl_c(query: core.Query) -> Iterator[None]:
    """Cancel the query if Ctrl-C is pressed meanwhile and is to raise KeyboardInterrupt, as it is without a handler of
    the user's. On other threads than the main one, which alone gets signals, this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = socket.socketpair()
    with reading, writing:
        writing.setblocking(False)
        before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        thread = threading.Thread(target=_watch, args=(reading, before, query), name="frazil signals", daemon=True)
        thread.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            writing.shutdown(socket.SHUT_WR)
            thread.join()


def below_polars(query: core.Query, work: Callable[[], T]) -> T:
    """Let an engine of Polars do some work, for which it asks the query for rows."""
    with ended_by_ctrl_c(query):
        try:
            return work()
        except BaseException:
            # Python still holds the signal that may have ended the query, and would raise it again while we clean up.
            if core.interrupted():
                raise KeyboardInterrupt from None
            raise


def _watch(reading: socket.socket, before: int, query: core.Query) -> None:
    """Take note of signals, and tell who was told before, until there are no more."""
    while signals := reading.recv(64):
        if before != NOBODY:
            with suppress(OSError):
                os.write(before, signals)
        if signal.SIGINT in signals and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            query.cancel()
