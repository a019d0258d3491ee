"""What a query cost, as a frame."""

from __future__ import annotations

import polars as pl

from frazil.report import Report

SCHEMA = {"node": pl.String, "device": pl.String, "rows": pl.Int64, "seconds": pl.Float64}


def profile_of(report: Report) -> pl.DataFrame:
    """A row for each operator that ran on Frazil, inputs first."""
    return pl.DataFrame([tuple(node) for node in report.nodes], schema=SCHEMA, orient="row")
