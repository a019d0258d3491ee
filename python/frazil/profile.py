"""What a query cost, as a frame."""

from __future__ import annotations

import polars as pl

from frazil.report import Report

SCHEMA = {"node": pl.String, "device": pl.String, "rows": pl.Int64, "seconds": pl.Float64, "note": pl.String}


def profile_of(report: Report) -> pl.DataFrame:
    """A row for each operator that ran on Frazil, inputs first; `note` is what it tells besides, if anything."""
    rows = [(*named(node.node), node) for node in report.nodes]
    return pl.DataFrame(
        [(name, node.device, node.rows, node.seconds, note) for name, note, node in rows], schema=SCHEMA, orient="row"
    )


def named(node: str) -> tuple[str, str]:
    """The name of an operator, and what it tells besides."""
    name, _, note = node.partition(", ")
    return name, note
