"""Rows that are made piece by piece while they are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from frazil import _frazil as core


class Pieces(Iterator[pl.DataFrame]):
    """The rows of a query in order, as frames of any number of rows; those that nobody asks for are never made.

    The first piece is made at once, so that what is wrong or refused is known before anything is given away.

    stream: makes the rows.
    framed: makes a frame of a piece.
    """

    def __init__(self, stream: core.Stream, framed: Callable[[core.Table], pl.DataFrame], schema: pl.Schema) -> None:
        self.schema = schema
        self._stream = stream
        self._framed = framed
        self._first = stream.next()

    def __next__(self) -> pl.DataFrame:
        table, self._first = self._first or self._stream.next(), None
        if table is None:
            raise StopIteration
        return self._framed(table)

    def lazy(self) -> pl.LazyFrame:
        """All rows for an engine of Polars, which may read them once and takes them while it works."""
        if self._stream.is_done:  # a frame tells more, such as which columns are sorted
            return next(self, self.schema.to_frame()).lazy()
        return lazy_frame(self, self.schema)

    def close(self) -> None:
        """End the query, and give back what it holds."""
        self._first = None
        self._stream.close()


def lazy_frame(frames: Iterator[pl.DataFrame], schema: pl.Schema) -> pl.LazyFrame:
    """Frames as a LazyFrame, which may be read once."""

    def read(columns: object, predicate: object, limit: object, rows: object) -> tuple[Iterator[pl.DataFrame], bool]:
        if (columns, predicate, limit) != (None, None, None):
            raise RuntimeError("all rows were to be read")
        return frames, True

    return pl.LazyFrame._scan_python_function(schema, read, explain_name="frazil")
