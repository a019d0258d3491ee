"""Row numbers against Polars."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from oracle import assert_agreement
from polars import col
from samples import payload, random_rows

ROWS = random_rows(3000)


def test_rows_are_numbered(device: str) -> None:
    rows = ROWS.lazy()
    assert_agreement(rows.with_row_index(), device)
    assert_agreement(rows.filter(col("price") > 0).with_row_index("number", 7), device)
    assert_agreement(rows.head(0).with_row_index(), device)
    assert_agreement(rows.with_row_index().filter(col("index") % 3 == 1).select("text", "index"), device)
    assert_agreement(payload(40).drop("categorical").lazy().with_row_index(), device)


def test_numbers_of_what_was_joined_grouped_and_sorted(device: str) -> None:
    grouped = ROWS.lazy().group_by("many", maintain_order=True).agg(pl.len()).with_row_index()
    assert_agreement(grouped, device)
    assert_agreement(ROWS.lazy().sort("ordinal", descending=True).with_row_index().filter(col("few") == 1), device)
    assert_agreement(grouped.join(ROWS.lazy(), on="many", how="left", maintain_order="left_right"), device)


def test_rows_of_files_are_numbered(device: str, tmp_path: Path) -> None:
    for part in range(2):
        ROWS.slice(part * 900, 900).write_parquet(tmp_path / f"{part}.parquet")
    rows = pl.scan_parquet(tmp_path / "*.parquet").with_row_index("number", 3)
    assert_agreement(rows, device)
    assert_agreement(rows.filter(col("price") > 0).select("number", "text"), device)
    assert_agreement(rows.slice(890, 20), device)
    assert_agreement(rows.head(20).filter(col("number") > 7), device)
