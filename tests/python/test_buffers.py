"""Parquet files that lie in memory."""

from __future__ import annotations

import io
import os
from typing import Any

import polars as pl
import pytest
from polars import col

import frazil
from frazil.polars import buffers

FRAME = pl.DataFrame(
    {"k": [1, 2, 1, 3], "v": [1.5, 2.5, None, -0.0], "s": ["a", '"sources":{"Buffers":[[1]]}', None, "d"]}
)


def content(frame: pl.DataFrame = FRAME) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


QUERIES: dict[str, pl.LazyFrame] = {
    "bytes": pl.scan_parquet(content()),
    "buffer": pl.scan_parquet(io.BytesIO(content())),
    "several": pl.scan_parquet([content(), io.BytesIO(content(FRAME.head(1)))]),
    "filter": pl.scan_parquet(content()).filter(col("k") > 1).select("s"),
    "text like ours": pl.scan_parquet(content()).filter(col("s") == '"sources":{"Buffers":[[1]]}'),
    "slice": pl.scan_parquet(content()).slice(1, 2),
    "row index": pl.scan_parquet(content(), row_index_name="i"),
    "groups": pl.scan_parquet(content()).group_by("k").agg(col("v").sum()).sort("k"),
    "join": pl.scan_parquet(content()).join(pl.scan_parquet(content()).select("k").head(1), on="k", how="semi"),
    "one buffer twice": (lambda rows: rows.join(rows.head(2), on="k", how="semi"))(pl.scan_parquet(content())),
}


@pytest.mark.parametrize("name", QUERIES)
def test_small_ones_are_ours(strict: frazil.Engine, name: str) -> None:
    query = QUERIES[name]
    assert query.collect(engine=strict).equals(query.collect(engine="in-memory"))
    assert strict.last_report is not None
    assert strict.last_report.native
    assert "Frazil runs the query" in strict.explain(query)


OTHERS: dict[str, pl.LazyFrame] = {
    "csv": pl.scan_csv(b"a,b\n1,2"),
    "csv beside parquet": pl.concat([pl.scan_csv(b"k\n1"), pl.scan_parquet(content()).select("k")]),
    "a name for the file": pl.scan_parquet(content(), include_file_paths="path"),
    "Python": pl.scan_parquet(content()).select(col("k").map_elements(lambda k: k, return_dtype=pl.Int64)),
    "a frame": pl.scan_parquet(content()).join(FRAME.lazy(), on="k", how="semi"),
    "what JSON has no place for": pl.scan_parquet(content()).filter(col("v") < float("inf")),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_left_to_polars(engine: frazil.Engine, name: str) -> None:
    query = OTHERS[name]
    assert query.collect(engine=engine).equals(query.collect(engine="in-memory"))
    assert engine.last_report is not None
    assert "hidden" in {reason.code for reason in engine.last_report.reasons}


def test_what_a_file_would_be_refused_for_is_the_reason(strict: frazil.Engine) -> None:
    query = pl.scan_parquet(content(pl.DataFrame({"a": [[1], []]}))).filter(col("a").is_not_null())
    with pytest.raises(frazil.UnsupportedError, match="nested"):
        query.collect(engine=strict)
    assert "is nested" in strict.explain(query)


def test_large_ones_are_left_to_polars(strict: frazil.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers, "LARGEST", 100)
    with pytest.raises(frazil.UnsupportedError, match="BytesIO"):
        QUERIES["bytes"].collect(engine=strict)


def test_what_is_no_parquet_file_is_polars_error(engine: frazil.Engine) -> None:
    query = pl.scan_parquet(b"no such thing", schema={"k": pl.Int64})
    raised: list[Any] = []
    for reader in (engine, "streaming"):
        with pytest.raises(pl.exceptions.ComputeError) as caught:
            query.collect(engine=reader)  # type: ignore[call-overload]
        raised.append(str(caught.value))
    assert raised[0] == raised[1]


def test_no_file_stays_open(strict: frazil.Engine) -> None:
    before = os.listdir("/proc/self/fd")
    for query in QUERIES.values():
        query.collect(engine=strict)
        strict.explain(query)
    assert os.listdir("/proc/self/fd") == before
