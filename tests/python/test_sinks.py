"""Sinks that stand in the plan: our rows, written by Polars with the options that the plan says."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col
from pyarrow import ipc

import frazil
from frazil.polars.refusal import Refused
from frazil.polars.sinks import writer_of

FRAME = pl.DataFrame(
    {
        "k": [1, 2, 1, 3],
        "v": [1.5, 1e-9, None, -2.25],
        "s": ["a", 'b"c', None, "d;e"],
        "d": [date(2024, 2, 29)] * 4,
        "t": [datetime(2024, 1, 1, 12, 30)] * 4,
    }
)
QUERY = FRAME.lazy().filter(col("k") < 3).sort("k")

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "parquet": [
        {},
        {"compression": "snappy"},
        {"compression": "gzip", "compression_level": 3},
        {"compression": "zstd", "compression_level": 5},
        {"compression": "uncompressed"},
        {"compression": "lz4"},
        {"compression": "brotli", "compression_level": 2},
        {"statistics": False},
        {"statistics": "full"},
        {"statistics": {"min": False}},
        {"row_group_size": 2},
        {"data_page_size": 77},
        {"maintain_order": False},
        {"sync_on_close": "all"},
        {"metadata": {"a": "b"}},
    ],
    "ipc": [
        {},
        {"compression": "lz4"},
        {"compression": "zstd"},
        {"compat_level": pl.CompatLevel.oldest()},
        {"record_batch_size": 2},
        {"_record_batch_statistics": True},
    ],
    "csv": [
        {},
        {"include_bom": True},
        {"compression": "gzip", "compression_level": 2, "check_extension": False},
        {"compression": "zstd", "check_extension": False},
        {"include_header": False},
        {"separator": "|", "line_terminator": "\r\n", "quote_char": "'", "batch_size": 1},
        {"datetime_format": "%Y/%m", "date_format": "%d.%m", "null_value": "N"},
        {"float_scientific": True, "float_precision": 3},
        {"decimal_comma": True, "separator": ";"},
        *({"quote_style": style} for style in ("always", "never", "non_numeric")),
    ],
    "ndjson": [{}, {"compression": "zstd", "compression_level": 2, "check_extension": False}],
}
CALLS = [(kind, options) for kind, calls in OPTIONS.items() for options in calls]


def sink(query: pl.LazyFrame, kind: str, target: Any, engine: Any, **options: Any) -> None:
    plan = getattr(query, f"sink_{kind}")(target, lazy=True, **options)
    assert plan.collect(engine=engine).shape == (0, 0)


def content(path: Path) -> Any:
    """What a file holds. Bytes of IPC files differ where nulls are, so it is their rows, size and number of batches."""
    if path.suffix != ".ipc":
        return path.read_bytes()
    with ipc.open_file(path) as file:
        return pl.read_ipc(path).rows(), path.stat().st_size, file.num_record_batches, file.schema


@pytest.mark.parametrize(("kind", "options"), CALLS, ids=lambda value: str(value))
def test_files_are_those_of_polars(strict: frazil.Engine, tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    ours, theirs = tmp_path / f"ours.{kind}", tmp_path / f"theirs.{kind}"
    sink(QUERY, kind, ours, strict, **options)
    assert strict.last_report is not None
    assert strict.last_report.native
    assert strict.last_report.nodes[-1].rows == 3
    sink(QUERY, kind, theirs, "streaming", **options)
    assert content(ours) == content(theirs)


PARTITIONS: list[dict[str, Any]] = [
    {"key": "k"},
    {"key": ["k", "s"], "include_key": False},
    {"key": "k", "max_rows_per_file": 1},
    {"max_rows_per_file": 2},
    {"approximate_bytes_per_file": 1},
]


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("partitions", PARTITIONS, ids=str)
def test_partitions_are_those_of_polars(
    strict: frazil.Engine, tmp_path: Path, kind: str, partitions: dict[str, Any]
) -> None:
    for name, engine in (("ours", strict), ("theirs", "streaming")):
        sink(QUERY.drop("v"), kind, pl.PartitionBy(tmp_path / name, **partitions), engine, mkdir=True)
    ours, theirs = (
        {path.relative_to(tmp_path / name): content(path) for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in ("ours", "theirs")
    )
    assert ours == theirs
    assert ours


def test_a_strict_engine_writes_nothing_that_it_does_not_run(strict: frazil.Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    with pytest.raises(frazil.UnsupportedError, match="hidden"):
        sink(QUERY.map_batches(lambda rows: rows), "parquet", path, strict)
    assert not path.exists()


def test_errors_of_the_writer_are_polars(strict: frazil.Engine, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sink(QUERY, "parquet", tmp_path / "missing" / "a.parquet", strict)
    with pytest.raises(pl.exceptions.ComputeError, match="nested"):
        sink(QUERY.select(pl.struct("k")), "csv", tmp_path / "a.csv", frazil.Engine())


LEFT: dict[str, Any] = {
    "a function that names files": lambda folder: pl.PartitionBy(folder, key="k", file_path_provider=lambda _: "x"),
    "a key that is no column": lambda folder: pl.PartitionBy(folder, key=col("k") + 1),
    "a key of another name": lambda folder: pl.PartitionBy(folder, key=col("k").alias("x")),
}


@pytest.mark.parametrize("name", LEFT)
def test_other_sinks_are_left_to_polars(engine: frazil.Engine, tmp_path: Path, name: str) -> None:
    sink(QUERY, "parquet", LEFT[name](tmp_path), engine, mkdir=True)
    assert engine.last_report is not None
    assert engine.last_report.polars == "streaming"
    assert any(path.is_file() for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("kind", OPTIONS)
def test_a_sink_on_a_sink_is_an_error_of_polars(
    engine: frazil.Engine, strict: frazil.Engine, tmp_path: Path, kind: str
) -> None:
    plan = getattr(QUERY, f"sink_{kind}")(tmp_path / f"a.{kind}", lazy=True)
    for one in (engine, strict):
        with pytest.raises(pl.exceptions.InvalidOperationError, match="on top of another sink"):
            getattr(plan, f"sink_{kind}")(tmp_path / f"b.{kind}", engine=one)
    assert list(tmp_path.iterdir()) == []


def test_explain_shows_the_sink_and_writes_nothing(on_cpu: frazil.Engine, tmp_path: Path) -> None:
    plan = QUERY.sink_parquet(tmp_path / "a.parquet", lazy=True)
    text = on_cpu.explain(plan)
    assert text.startswith("Frazil runs the query.\nSink [frazil cpu]")
    assert "written by Polars" in text
    assert list(tmp_path.iterdir()) == []


def test_several_sinks_are_written(engine: frazil.Engine, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.parquet" for name in "abcd"]
    plans = [QUERY.sink_parquet(path, lazy=True) for path in paths]
    pl.collect_all(plans[:2], engine=engine)
    pl.collect_all(plans[2:], lazy=True).collect(engine=engine)
    assert all(pl.read_parquet(path).height == 3 for path in paths)


def payload(tmp_path: Path) -> dict[str, Any]:
    """The payload of a sink of Parquet files."""
    seen: list[str] = []

    def look(traverser: Any) -> None:
        seen.append(traverser.view_current_node().payload)
        traverser.set_udf(lambda *_: pl.DataFrame())

    plan = QUERY.sink_parquet(tmp_path / "a.parquet", lazy=True)
    pl.InMemoryEngine().collect(plan, optimizations=pl.QueryOptFlags(), post_opt_callback=look)
    found: dict[str, Any] = json.loads(seen[0])
    return found


def places(found: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all objects in JSON."""
    if not isinstance(found, dict):
        return []
    return [path, *(place for name, value in found.items() for place in places(value, (*path, name)))]


def test_entries_that_are_not_known_or_missing_are_refused(tmp_path: Path) -> None:
    writer_of(json.dumps(payload(tmp_path)), lambda _: None)
    for place in places(payload(tmp_path)):
        if "cloud_options" in place:
            continue
        more = payload(tmp_path)
        inner = more
        for name in place:
            inner = inner[name]
        inner["new"] = 1
        with pytest.raises(Refused):
            writer_of(json.dumps(more), lambda _: None)
        for name in [name for name in inner if name != "new"]:
            less = payload(tmp_path)
            inner = less
            for step in place:
                inner = inner[step]
            del inner[name]
            with pytest.raises((Refused, ValueError)):
                writer_of(json.dumps(less), lambda _: None)
