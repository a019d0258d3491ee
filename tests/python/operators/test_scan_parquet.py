"""Scans of Parquet files in plans, against Polars: predicates, row groups left out, slices, several files."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from oracle import differ, outcome
from polars.testing import assert_frame_equal

import frazil
from frazil.polars.nodes import scan_parquet


@pytest.fixture
def rising(tmp_path: Path) -> Path:
    """Ten row groups of 100 rows, with a column that rises through them."""
    path = tmp_path / "rising.parquet"
    rows = range(1000)
    pl.DataFrame(
        {
            "i": rows,
            "d": [Decimal(i) / 100 for i in rows],
            "day": [date(2020, 1, 1) + timedelta(days=i) for i in rows],
            "n": [None if i < 100 else i % 7 for i in rows],
            "s": [f"text {i % 13}" for i in rows],
        },
        schema_overrides={"d": pl.Decimal(15, 2)},
    ).write_parquet(path, row_group_size=100)
    return path


PREDICATES = [
    pl.col("i") < 100,
    pl.col("i") <= 100,
    pl.col("i") > 899,
    pl.col("i") >= 899,
    pl.lit(250) > pl.col("i"),
    pl.col("i") == 555,
    pl.col("i") == -1,
    pl.col("i").is_between(150, 249),
    pl.col("i").is_between(199, 300, closed="none"),
    (pl.col("i") > 300) & (pl.col("s") == "text 3"),
    (pl.col("i") > 900) | (pl.col("i") < 100),
    pl.col("d") < Decimal("1.00"),
    pl.col("day") >= date(2022, 1, 1),
    pl.col("n") == 3,
    pl.col("n") > 6,
]


@pytest.mark.parametrize("predicate", PREDICATES, ids=str)
def test_row_groups_are_left_out_and_no_row_is_lost(strict: frazil.Engine, rising: Path, predicate: pl.Expr) -> None:
    query = pl.scan_parquet(rising).filter(predicate)
    assert_frame_equal(query.collect(engine=strict), query.collect(engine="in-memory"))
    alone = query.select("s")  # the predicate's columns are read, and not given on
    assert_frame_equal(alone.collect(engine=strict), alone.collect(engine="in-memory"))


@pytest.mark.parametrize(
    ("predicate", "left_out"),
    [
        (pl.col("i") < 100, 9),
        (pl.col("i") <= 100, 8),
        (pl.lit(250) > pl.col("i"), 7),
        (pl.col("i") == -1, 10),
        (pl.col("i").is_between(199, 300, closed="none"), 9),
        (pl.col("day") >= date(2022, 1, 1), 7),
        (pl.col("d") < Decimal("1.00"), 9),
        (pl.col("n") > 6, 10),
        (pl.col("s") == "text 3", 0),
    ],
    ids=str,
)
def test_the_report_counts_row_groups_that_are_left_out(
    strict: frazil.Engine, rising: Path, predicate: pl.Expr, left_out: int
) -> None:
    pl.scan_parquet(rising, use_statistics=False).filter(predicate).collect(engine=strict)
    assert strict.last_report is not None
    told = strict.last_report.nodes[0].node
    assert told == (f"scan_parquet, {left_out} of 10 row groups left out" if left_out else "scan_parquet")


@pytest.mark.parametrize(("offset", "length"), [(0, 10), (95, 10), (150, 333), (990, 50), (2000, 5), (0, 0)])
def test_slices(strict: frazil.Engine, rising: Path, offset: int, length: int) -> None:
    for query in (
        pl.scan_parquet(rising).slice(offset, length),
        pl.scan_parquet([rising, rising]).slice(offset, length).filter(pl.col("n") > 2).select("i", "s"),
        pl.scan_parquet(rising).slice(offset, length).select(pl.len()),
    ):
        assert_frame_equal(query.collect(engine=strict), query.collect(engine="in-memory"))


@pytest.fixture
def partitions(tmp_path: Path) -> Path:
    """A folder with a folder for each pair of values, and two files in each of these."""
    for year in ("2020", "2021", "__HIVE_DEFAULT_PARTITION__"):
        for name in ("x", "y z", "%25"):
            folder = tmp_path / f"year={year}" / f"name={name}"
            folder.mkdir(parents=True)
            for number in (0, 1):
                pl.DataFrame({"v": [number, None, 7], "s": ["p", "q", year]}).write_parquet(
                    folder / f"{number}.parquet"
                )
    return tmp_path


PARTITIONED: dict[str, Any] = {
    "all": lambda scan: scan,
    "one folder": lambda scan: scan.filter(pl.col("year") == 2020),
    "no folder": lambda scan: scan.filter(pl.col("year") > 3000),
    "unknown": lambda scan: scan.filter(pl.col("year").is_null()),
    "folders or rows": lambda scan: scan.filter((pl.col("year") == 2020) | (pl.col("v") == 1)).select("name", "v"),
    "folders alone": lambda scan: scan.select("name"),
    "neither": lambda scan: scan.select(pl.len()),
    "numbers": lambda scan: scan.with_row_index().filter(pl.col("name") == "x"),
    "some": lambda scan: scan.slice(4, 9),
    "last": lambda scan: scan.with_row_index().tail(5).filter(pl.col("v") > 0),
    "last before": lambda scan: scan.slice(-9, 3),
    "groups": lambda scan: scan.group_by("year", "name").agg(pl.col("v").sum()).sort(pl.all()),
}


@pytest.mark.parametrize("name", PARTITIONED)
def test_columns_that_are_in_the_names_of_folders(strict: frazil.Engine, partitions: Path, name: str) -> None:
    for options in ({}, {"hive_schema": {"year": pl.Float64, "name": pl.String}}, {"include_file_paths": "file"}):
        query = PARTITIONED[name](pl.scan_parquet(partitions, **options))
        assert_frame_equal(query.collect(engine=strict), query.collect(engine="in-memory"))


def test_a_column_of_folders_goes_before_that_of_files(strict: frazil.Engine, tmp_path: Path) -> None:
    (tmp_path / "v=3").mkdir()
    pl.DataFrame({"u": [5, 6], "v": [1, 2], "w": [7, 8]}).write_parquet(tmp_path / "v=3" / "a.parquet")
    query = pl.scan_parquet(tmp_path)
    for some in (query, query.filter(pl.col("v") == 3), query.filter(pl.col("w") == 8), query.select("w", "v")):
        assert_frame_equal(some.collect(engine=strict), some.collect(engine="in-memory"))


def test_the_last_rows_and_the_names_of_files(strict: frazil.Engine, rising: Path) -> None:
    scan = pl.scan_parquet([rising, rising], include_file_paths="file", row_index_name="number")
    for query in (
        scan.tail(150),
        scan.select("file").head(2),
        scan.filter(pl.col("number") > 1990),
        scan.slice(990, 20),
    ):
        assert_frame_equal(query.collect(engine=strict), query.collect(engine="in-memory"))
    with pytest.raises(pl.exceptions.DuplicateError):
        pl.scan_parquet(rising, include_file_paths="i").collect(engine=strict)


@pytest.mark.parametrize("batch_rows", [1, 7, 64])
def test_short_batches(rising: Path, batch_rows: int) -> None:
    query = pl.scan_parquet(rising).filter(pl.col("i") > 130).select("s", "n", "i")
    with frazil.Engine(device="cpu", strict=True, batch_rows=batch_rows) as engine:
        assert_frame_equal(query.collect(engine=engine), query.collect(engine="in-memory"))


def test_files_with_other_columns_are_left_to_polars(engine: frazil.Engine, tmp_path: Path) -> None:
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    pl.DataFrame({"a": [1, 2], "b": [3, 4]}).write_parquet(paths[0])
    pl.DataFrame({"a": [5], "b": ["x"]}).write_parquet(paths[1])
    query = pl.scan_parquet(paths)
    assert query.select("a").collect(engine=engine)["a"].to_list() == [1, 2, 5]
    with pytest.raises(pl.exceptions.SchemaError):
        query.select("b").collect(engine=engine)


FIRST = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
SECOND: dict[str, pl.DataFrame] = {
    "same": FIRST,
    "narrower": FIRST.with_columns(pl.col("a").cast(pl.Int32)),
    "real": FIRST.with_columns(pl.col("a").cast(pl.Float64)),
    "missing": FIRST.select("a"),
    "extra": FIRST.with_columns(c=pl.lit(1)),
    "order": FIRST.select("b", "a"),
}
POLICIES: list[dict[str, Any]] = [
    {"missing_columns": "insert"},
    {"extra_columns": "ignore"},
    {
        "missing_columns": "insert",
        "extra_columns": "ignore",
        "cast_options": pl.ScanCastOptions(integer_cast="upcast", float_cast=["upcast", "downcast"]),
    },
]


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("policies", POLICIES, ids=lambda policies: "+".join(policies))
def test_policies_for_other_columns_matter_only_where_there_are_some(
    engine: frazil.Engine, tmp_path: Path, second: str, policies: dict[str, Any]
) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for files in (paths, paths[::-1]):
        for path, frame in zip(paths, (FIRST, SECOND[second]), strict=True):
            frame.write_parquet(path)
        rows = pl.scan_parquet(files, **policies)
        for query in (rows, rows.select("a"), rows.filter(pl.col("a") == 1).select("b")):
            found, wanted = outcome(query, engine), outcome(query, "streaming")
            assert differ(found, wanted, ordered=True, approximate=()) is None
            assert engine.last_report is not None
            if second == "same":
                assert engine.last_report.native


def test_words_of_policies_that_are_not_known_are_refused(monkeypatch: pytest.MonkeyPatch, rising: Path) -> None:
    known = {name: set(words) for name, words in scan_parquet.POLICIES.items()}
    for name, word in (("null_upcast", True), ("extra_columns_policy", "raise")):
        monkeypatch.setattr(scan_parquet, "POLICIES", known | {name: known[name] - {word}})
        with pytest.raises(frazil.UnsupportedError, match=name):
            pl.scan_parquet(rising).collect(engine=frazil.Engine(strict=True))
    monkeypatch.setattr(scan_parquet, "POLICIES", {key: words for key, words in known.items() if key != "null_upcast"})
    with pytest.raises(frazil.UnsupportedError, match="null_upcast"):
        pl.scan_parquet(rising).collect(engine=frazil.Engine(strict=True))
