"""What a query cost, as a frame."""

from __future__ import annotations

import polars as pl

from frazil.report import Report

SCHEMA = {
    "node": pl.String,
    "device": pl.String,
    "rows": pl.Int64,
    "seconds": pl.Float64,
    "bytes": pl.Int64,
    "bytes_peak": pl.Int64,
    "row_groups": pl.Int64,
    "row_groups_pruned": pl.Int64,
    "note": pl.String,
}


def profile_of(report: Report) -> pl.DataFrame:
    """A row for each operator that ran on Frazil, inputs first: its NodeReport, and what it tells besides."""
    rows = []
    for node in report.nodes:
        name, _, note = node.node.partition(", ")
        rows.append((name, *node[1:], note))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
