"""How many rows the nodes of a plan may give, from what is known before anything runs."""

from __future__ import annotations

import polars as pl

from frazil.polars.tree import PlanNode

KEPT = 0.3  # the share of rows that a predicate may leave
GROUPS = 0.1  # groups, or distinct rows, for each row
SAME = {"Select", "HStack", "SimpleProjection", "Sort", "Cache", "MapFunction.hint_sorted", "MapFunction.row_index"}


class Estimates:
    """The rows of nodes; None where nothing is known, as of sources written in Python."""

    def __init__(self) -> None:
        self._known: dict[int, int | None] = {}

    def rows(self, node: PlanNode) -> int | None:
        """An estimate, exact for frames and whole files."""
        if id(node) not in self._known:
            self._known[id(node)] = self._guess(node)
        return self._known[id(node)]

    def _guess(self, node: PlanNode) -> int | None:
        facts = node.facts
        if (rows := facts.get("rows")) is None and facts.get("paths"):
            rows = rows_of_files(facts["paths"])
        if rows is None:
            rows = self._from_inputs(node)
        if rows is not None and facts.get("filtered"):
            rows = share(rows, KEPT)
        limit = facts.get("limit")
        return rows if rows is None or limit is None else min(rows, limit)

    def _from_inputs(self, node: PlanNode) -> int | None:
        inputs = [self.rows(child) for child in node.inputs]
        counts = [count for count in inputs if count is not None]
        if not inputs or len(counts) < len(inputs):
            return None
        most = max(counts)
        match node.kind.partition(".")[0]:
            case "Filter":
                return share(most, KEPT)
            case "GroupBy" | "Distinct":
                return share(most, GROUPS)
            case "Union":
                return sum(counts)
            case "Join" if node.detail.startswith("cross"):
                return counts[0] * counts[1]
            case "Join" | "HConcat" | "MergeSorted":
                return most
        return most if node.kind in SAME else None


def rows_of_files(paths: list[str]) -> int | None:
    """The rows that the footers of Parquet files tell of; None if they cannot be read."""
    try:
        count: int = pl.scan_parquet(paths, glob=False).select(pl.len()).collect(engine="in-memory").item()
    except (OSError, pl.exceptions.PolarsError):
        return None
    return count


def share(rows: int, part: float) -> int:
    """A part of the rows, at least one."""
    return max(1, round(rows * part)) if rows else 0
