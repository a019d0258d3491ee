"""A result in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import polars as pl

BATCH_ROWS = 100_000


class Batches(Iterator[pl.DataFrame]):
    """Iterator over frames of at most `rows` rows, in order; also an Arrow stream of the rows not yet given.

    begin: starts the query, and gives its rows as a frame, or as the batches of Polars' engine if that runs it.
    lazy: nothing runs before the first batch is asked for.
    """

    def __init__(self, begin: Callable[[], Any], rows: int | None, *, lazy: bool) -> None:
        self._begin = begin
        self._rows = checked_rows(rows)
        self._rest: Any = None if lazy else begin()

    def __next__(self) -> pl.DataFrame:
        rest = self._not_yet_given()
        if not isinstance(rest, pl.DataFrame):
            batch: pl.DataFrame = next(rest)
            return batch
        if rest.height == 0:
            raise StopIteration
        self._rest = rest.slice(self._rows)
        return rest.head(self._rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._not_yet_given().__arrow_c_stream__(requested_schema)

    def _not_yet_given(self) -> Any:
        if self._rest is None:
            self._rest = self._begin()
        return self._rest


class Lent(Iterator[pl.DataFrame]):
    """Polars' batches, which keep open what was lent to the query until they are at an end or dropped."""

    def __init__(self, batches: Any, lent: ExitStack) -> None:
        self._batches = batches
        self._lent = lent

    def __next__(self) -> pl.DataFrame:
        try:
            batch: pl.DataFrame = next(self._batches)
        except BaseException:
            self._lent.close()
            raise
        return batch

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._batches.__arrow_c_stream__(requested_schema)

    def __del__(self) -> None:
        self._lent.close()


def checked_rows(rows: int | None) -> int:
    """The rows of a batch; raises for numbers that Polars does not take."""
    if rows is None:
        return BATCH_ROWS
    if rows == 0:
        raise ValueError("invalid zero value")
    if rows < 0:
        raise OverflowError("can't convert negative int to unsigned")
    return rows
