"""A result in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

BATCH_ROWS = 100_000


class Batches(Iterator[pl.DataFrame]):
    """Iterator over frames of at most `rows` rows, in order; also an Arrow stream of the rows not yet given.

    lazy: nothing runs before the first batch is asked for.
    """

    def __init__(self, collect: Callable[[], pl.DataFrame], rows: int | None, *, lazy: bool) -> None:
        self._collect = collect
        self._rows = rows or BATCH_ROWS
        self._rest: pl.DataFrame | None = None if lazy else collect()

    def __next__(self) -> pl.DataFrame:
        rest = self._not_yet_given()
        if rest.height == 0:
            raise StopIteration
        self._rest = rest.slice(self._rows)
        return rest.head(self._rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._not_yet_given().__arrow_c_stream__(requested_schema)

    def _not_yet_given(self) -> pl.DataFrame:
        if self._rest is None:
            self._rest = self._collect()
        return self._rest
