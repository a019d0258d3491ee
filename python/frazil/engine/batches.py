"""A result in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import polars as pl

from frazil.engine.pieces import Pieces, lazy_frame

BATCH_ROWS = 100_000


class Lent(Iterator[pl.DataFrame]):
    """Our pieces or Polars' batches, which keep open what the query needs until they are at an end or dropped.

    at_end: called then.
    """

    def __init__(self, batches: Any, lent: ExitStack, at_end: Callable[[], None] = lambda: None) -> None:
        self.batches = batches
        self._lent = lent
        self._lent.callback(at_end)

    def __next__(self) -> pl.DataFrame:
        try:
            batch: pl.DataFrame = next(self.batches)
        except BaseException:
            self.close()
            raise
        return batch

    def close(self) -> None:
        """Ends the query."""
        self._lent.close()

    def __del__(self) -> None:
        self.close()


class Batches(Iterator[pl.DataFrame]):
    """Iterator over frames of at most `rows` rows, in order; also an Arrow stream of the rows not yet given.

    begin: starts the query, and gives our pieces, or the batches of Polars' engine if that runs it.
    lazy: nothing runs before the first batch is asked for.
    """

    def __init__(self, begin: Callable[[], Lent], rows: int | None, *, lazy: bool) -> None:
        self._begin = begin
        self._rows = checked_rows(rows)
        self._lent: Lent | None = None if lazy else begin()
        self._rest: Iterator[pl.DataFrame] | None = None

    def __next__(self) -> pl.DataFrame:
        return next(self._not_yet_given())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        rest = self._not_yet_given()
        assert self._lent is not None
        if not isinstance(self._lent.batches, Pieces):
            return self._lent.batches.__arrow_c_stream__(requested_schema)
        rows = lazy_frame(rest, self._lent.batches.schema)
        batches = pl.StreamingEngine().collect_batches(
            rows, optimizations=pl.QueryOptFlags.none(), maintain_order=True, lazy=True
        )
        return batches.__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """End the query. There are no more batches then."""
        self._begin = lambda: Lent(iter(()), ExitStack())
        self._rest = iter(())
        if self._lent is not None:
            self._lent.close()

    def _not_yet_given(self) -> Iterator[pl.DataFrame]:
        if self._lent is None:
            self._lent = self._begin()
        if self._rest is None:
            ours = isinstance(self._lent.batches, Pieces)
            self._rest = in_batches(self._lent, self._rows) if ours else self._lent
        return self._rest


def in_batches(frames: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """The rows of frames as frames of so many rows each, but for the last one."""
    waiting: list[pl.DataFrame] = []
    missing = rows
    for frame in frames:
        while frame.height:
            waiting.append(frame.head(missing))
            frame = frame.slice(missing)
            missing -= waiting[-1].height
            if missing == 0:
                yield pl.concat(waiting, rechunk=False)
                waiting, missing = [], rows
    if waiting:
        yield pl.concat(waiting, rechunk=False)


def checked_rows(rows: int | None) -> int:
    """The rows of a batch; raises for numbers that Polars does not take."""
    if rows is None:
        return BATCH_ROWS
    if rows == 0:
        raise ValueError("invalid zero value")
    if rows < 0:
        raise OverflowError("can't convert negative int to unsigned")
    return rows
