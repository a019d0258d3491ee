"""Results that stay with the engine that made them, until they are read."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self
from weakref import WeakSet

import polars as pl

from frazil import _frazil as core

HEAD_ROWS = 10
LOCK = threading.Lock()
SPENT = (
    "this result was read before, which can be done once: call execute again, or make the result by "
    "engine.execute(query, keep=True)"
)


class UnstableWarning(pl.exceptions.UnstableWarning):
    """A part of Frazil that may change without notice was used."""


def warn_unstable(what: str) -> None:
    """Warn that something may change; FRAZIL_WARN_UNSTABLE=1 makes an error of it."""
    warning = UnstableWarning(f"{what} is experimental and may change without notice")
    if os.environ.get("FRAZIL_WARN_UNSTABLE") == "1":
        raise warning
    warnings.warn(warning, stacklevel=3)


class Owner:
    """What an engine lends to its results: as long as it is open they can be read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.open = True
        self._rows: WeakSet[Rows] = WeakSet()

    def add(self, rows: Rows) -> None:
        """Remember a result, to give its memory back at the end."""
        self._rows.add(rows)

    def close(self) -> None:
        """Release all results."""
        self.open = False
        for rows in list(self._rows):
            rows.release(f"the engine that made this result was shut down: make a new one and call {self.name} again")


class Rows:
    """The rows of a result, and the function by which Polars scans them.

    Our translator knows this class and reads the rows as they lie. Polars' engines call it, and are given the rows of a
    result that is kept; those of one that is read once only while our engine lets Polars finish a query.
    """

    def __init__(self, rows: pl.DataFrame | core.Table, schema: pl.Schema, height: int, owner: Owner, keep: bool):
        self.schema = schema
        self.height = height
        self.keep = keep
        self.owner = owner
        self._rows: pl.DataFrame | core.Table | None = rows
        self._lent: pl.DataFrame | core.Table | None = None
        self._gone = ""
        owner.add(self)

    def table(self, columns: list[str]) -> core.Table:
        """The rows for the core, with these columns."""
        rows = self._there(self._rows)
        return rows.select(columns) if isinstance(rows, core.Table) else core.Table(select(rows, columns))

    def head(self) -> pl.DataFrame | None:
        """The first rows, None once they are gone."""
        if self._rows is None:
            return None
        return (
            pl.DataFrame(self._rows.head(HEAD_ROWS))
            if isinstance(self._rows, core.Table)
            else self._rows.head(HEAD_ROWS)
        )

    def check(self, reader: Owner, reads: int) -> None:
        """Raise if an engine must not read this as often as that."""
        self._there(self._rows)
        if self.keep:
            return
        if reader is not self.owner:
            raise RuntimeError(
                "this result belongs to another engine: collect with the engine that made it, or make the result by "
                "engine.execute(query, keep=True)"
            )
        if reads > 1:
            raise RuntimeError(
                f"this query reads a result of execute {reads} times, and it can be read once: call execute again for "
                "each reader, or make the result by engine.execute(query, keep=True)"
            )

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Take note that a query of our engine reads this, which lends it to Polars for the parts that it runs.

        A result that is not kept is spent by this: it can be read no more.
        """
        with LOCK:  # of two queries that start at once one is too late
            rows = self._there(self._rows)
            if not self.keep:
                self._lent = rows
                self.release(SPENT)
        try:
            yield
        finally:
            self._lent = None

    def release(self, gone: str = "this result was released: call execute again") -> None:
        """Give the memory back; `gone` is what later readers are told."""
        if self._rows is not None:
            self._rows, self._gone = None, gone

    @property
    def io_source(self) -> object:
        """What Polars takes for the function of the source; stored on the object it would be a cycle."""
        return self._read

    def __call__(
        self, columns: list[str] | None, predicate: bytes | None, limit: int | None, batch_rows: int | None
    ) -> tuple[Iterator[pl.DataFrame], bool]:
        parsed = None if predicate is None else pl.Expr.deserialize(predicate)
        return self._read(columns, parsed, limit, batch_rows), True

    def _read(
        self, columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, batch_rows: int | None
    ) -> Iterator[pl.DataFrame]:
        if self._lent is None and self._rows is not None and not self.keep:
            raise RuntimeError(
                "this result can be read once, by the engine that made it: collect with engine=..., or make the result "
                "by engine.execute(query, keep=True)"
            )
        query = frame_of(self._there(self._rows if self._lent is None else self._lent)).lazy()
        query = query if limit is None else query.head(limit)
        query = query if predicate is None else query.filter(predicate)
        query = query if columns is None else query.select(columns)
        yield query.collect(engine="in-memory")

    def _there(self, rows: pl.DataFrame | core.Table | None) -> pl.DataFrame | core.Table:
        if rows is None:
            raise RuntimeError(self._gone)
        return rows


def frame_of(rows: pl.DataFrame | core.Table) -> pl.DataFrame:
    """The rows as a frame, without a copy but from a GPU."""
    return rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows)


def select(frame: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """Some columns; without any the height remains."""
    return frame[columns] if columns else pl.DataFrame(height=frame.height)


class PersistedQueryResult:
    """What `engine.execute(query)` gives: rows that stay where they were made until a query reads them.

    `lazy()` is a LazyFrame over them for further queries on the same engine, one of which may read it, once; a result
    that was made with `keep=True`, or by Polars' `query.execute(engine=engine)`, can be read any number of times, by
    other engines too. The memory is given back by `release()`, at the end of a `with`, or when the result and all
    LazyFrames that were made of it are gone.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def lazy(self) -> pl.LazyFrame:
        """The rows as a LazyFrame."""
        return pl.LazyFrame._scan_python_function(self._rows.schema, self._rows, is_pure=True, explain_name="frazil")

    @property
    def schema(self) -> pl.Schema:
        """Names and dtypes of the columns."""
        return self._rows.schema

    @property
    def n_rows_total(self) -> int:
        """The number of rows, also once they were read."""
        return self._rows.height

    @property
    def head(self) -> pl.DataFrame | None:
        """The first rows, which does not count as reading; None once the rows are gone."""
        return self._rows.head()

    def release(self) -> None:
        """Give the memory back; reading the result after this is a RuntimeError."""
        self._rows.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"PersistedQueryResult({self.n_rows_total} rows; columns: {', '.join(self.schema) or 'none'})"
