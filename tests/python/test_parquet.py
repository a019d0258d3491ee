"""Parquet files: what the decoder reads equals what Polars reads, or is refused by name."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

from frazil import _frazil as core

ROWS = 5000


def with_nulls(values: list, share: float, seed: int) -> list:
    rng = random.Random(seed)
    return [None if rng.random() < share else value for value in values]


def frame(share: float) -> pl.DataFrame:
    """Columns of every type that files can hold for us, with this share of nulls."""
    rng = random.Random(7)
    numbers = [rng.randrange(ROWS) for _ in range(ROWS)]
    day, noon = date(1992, 1, 2), datetime(1969, 12, 31, 12)
    columns = {
        "int8": ([n % 256 - 128 for n in numbers], pl.Int8),
        "int16": ([n - 2500 for n in numbers], pl.Int16),
        "int32": ([n * 100_003 - 2**28 for n in numbers], pl.Int32),
        "int64": ([n * 10**14 - 2**62 for n in numbers], pl.Int64),
        "small": ([n % 50 for n in numbers], pl.Int64),
        "shifted": ([2**40 + n % 200 for n in numbers], pl.Int64),
        "extremes": ([(-(2**63), 2**63 - 1)[n % 2] for n in numbers], pl.Int64),
        "uint8": ([n % 256 for n in numbers], pl.UInt8),
        "uint16": ([n * 13 for n in numbers], pl.UInt16),
        "uint32": ([n * 858_993 for n in numbers], pl.UInt32),
        "uint64": ([2**64 - 1 - n for n in numbers], pl.UInt64),
        "small_uint64": ([n % 100 for n in numbers], pl.UInt64),
        "float32": ([n / 8 for n in numbers], pl.Float32),
        "float64": ([n / 7 - 300 for n in numbers], pl.Float64),
        "truth": ([n % 3 == 0 for n in numbers], pl.Boolean),
        "runs": ([i // 700 % 2 == 0 for i in range(ROWS)], pl.Boolean),
        "cents": ([Decimal(n - 2000) / 100 for n in numbers], pl.Decimal(15, 2)),
        "large": ([Decimal(n - 2000) * 10**30 for n in numbers], pl.Decimal(38, 2)),
        "flag": (["ANR"[n % 3] for n in numbers], pl.String),
        "word": ([f"word number {n % 400}" for n in numbers], pl.String),
        "text": ([f"é{n}" * (n % 9) for n in numbers], pl.String),
        "long": (["x" * (n % 300) for n in numbers], pl.String),
        "bytes": ([bytes([n % 256]) * (n % 20) for n in numbers], pl.Binary),
        "date": ([day + timedelta(days=n) for n in numbers], pl.Date),
        "ms": ([noon + timedelta(milliseconds=n) for n in numbers], pl.Datetime("ms")),
        "us": ([noon + timedelta(microseconds=n) for n in numbers], pl.Datetime("us")),
        "ns": ([noon + timedelta(days=n) for n in numbers], pl.Datetime("ns")),
        "utc": ([noon + timedelta(hours=n) for n in numbers], pl.Datetime("us", "UTC")),
    }
    return pl.DataFrame(
        [
            pl.Series(name, with_nulls(values, share, seed), dtype)
            for seed, (name, (values, dtype)) in enumerate(columns.items())
        ]
    )


def write(path: Path, table: pl.DataFrame, writer: str, codec: str, version: str, dictionary: bool) -> None:
    if writer == "polars":
        table.write_parquet(
            path,
            compression="uncompressed" if codec == "none" else codec,
            row_group_size=1900,
            data_page_size=2000,
        )
        return
    pq.write_table(
        table.to_arrow(compat_level=pl.CompatLevel.oldest()),
        path,
        compression=codec,
        use_dictionary=dictionary,
        data_page_version=version,
        row_group_size=1900,
        data_page_size=2000,
        store_decimal_as_integer=dictionary,
        store_schema=False,
    )


def read(*paths: Path, columns: list[str] | None = None) -> pl.DataFrame:
    return pl.DataFrame(core.read_parquet([str(path) for path in paths], columns))


LAYOUTS = [("polars", codec, "2.0", True) for codec in ("none", "snappy", "zstd")] + list(
    product(["pyarrow"], ["none", "snappy", "zstd"], ["1.0", "2.0"], [True, False])
)


@pytest.mark.parametrize("share", [0, 0.1, 0.98, 1])
@pytest.mark.parametrize(("writer", "codec", "version", "dictionary"), LAYOUTS)
def test_all_types_come_back(
    tmp_path: Path, writer: str, codec: str, version: str, dictionary: bool, share: float
) -> None:
    path = tmp_path / "file.parquet"
    write(path, frame(share), writer, codec, version, dictionary)
    expected = pl.read_parquet(path)
    assert_frame_equal(read(path), expected)
    some = ["word", "int8", "cents"]
    assert_frame_equal(read(path, columns=some), expected.select(some))


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 63, 64, 65])
@pytest.mark.parametrize("share", [0, 0.5])
def test_few_rows(tmp_path: Path, rows: int, share: float) -> None:
    path = tmp_path / "file.parquet"
    for writer, version in (("polars", "1.0"), ("pyarrow", "1.0"), ("pyarrow", "2.0")):
        write(path, frame(share).head(rows), writer, "snappy", version, dictionary=True)
        assert_frame_equal(read(path), pl.read_parquet(path))


def test_files_of_different_storage_read_as_one(tmp_path: Path) -> None:
    """Decimals as 8-byte numbers in one file and as bytes in the other, texts with and without dictionaries."""
    paths = [tmp_path / f"{i}.parquet" for i in range(3)]
    table = frame(0.1)
    for i, path in enumerate(paths):
        write(path, table.slice(i * 1000, 1000), "pyarrow", "snappy", "1.0", dictionary=i != 1)
    assert_frame_equal(read(*paths), pl.read_parquet(paths))


def test_dictionaries_of_row_groups_become_one(tmp_path: Path) -> None:
    paths = [tmp_path / f"{i}.parquet" for i in range(3)]
    for i, path in enumerate(paths):
        pl.DataFrame({"a": [f"value {(i * 7 + n) % 300:030}" for n in range(900)]}).write_parquet(
            path, row_group_size=70
        )
    assert_frame_equal(read(*paths), pl.read_parquet(paths))


@pytest.mark.parametrize("values", [255, 256, 257, 65_536, 65_537])
def test_dictionary_sizes_at_the_limits(tmp_path: Path, values: int) -> None:
    path = tmp_path / "file.parquet"
    texts = [f"value {n // 3}" for n in range(3 * values)]
    pq.write_table(pa.table({"a": texts}), path, dictionary_pagesize_limit=1 << 24, row_group_size=values)
    assert_frame_equal(read(path), pl.read_parquet(path))


def test_dictionary_pages_then_plain_ones(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    table = pa.table({"a": [f"value {n}" for n in range(9000)], "b": list(range(9000))})
    pq.write_table(table, path, dictionary_pagesize_limit=1000, data_page_size=1000)
    assert_frame_equal(read(path), pl.read_parquet(path))


def test_tables_of_tpch(tpch: Path) -> None:
    for path in sorted(tpch.glob("*.parquet")):
        assert_frame_equal(read(path), pl.read_parquet(path))


@pytest.mark.parametrize("width", [1, 3, 4, 12, 13, 16, 40])
@pytest.mark.parametrize("dictionary", [True, False])
def test_byte_arrays_of_one_width(tmp_path: Path, width: int, dictionary: bool) -> None:
    values = with_nulls([bytes([n % 7] * (width - 1) + [n % 250]) for n in range(3000)], 0.1, 1)
    paths = [tmp_path / "fixed.parquet", tmp_path / "other.parquet"]
    for path, kind in zip(paths, (pa.binary(width), pa.binary()), strict=True):
        table = pa.table({"a": pa.array(values, kind)})
        pq.write_table(table, path, use_dictionary=dictionary, row_group_size=700, data_page_size=900)
    assert_frame_equal(read(paths[0]), pl.read_parquet(paths[0]))
    assert read(*paths)["a"].to_list() == values * 2  # with lengths in one file, and without in the other


REFUSED = {
    "nested": (pa.table({"a": [[1, 2]]}), {}, "nested"),
    "structs": (pa.table({"a": [{"x": 1}]}), {}, "nested"),
    "times": (pa.table({"a": pa.array([1], pa.time64("us"))}), {}, "INT64 TIME"),
    "halves": (pa.table({"a": pa.array([1], pa.float16())}), {}, "FLOAT16"),
    "int96": (pa.table({"a": [datetime(2020, 1, 1)]}), {"use_deprecated_int96_timestamps": True}, "INT96"),
    "gzip": (pa.table({"a": [1]}), {"compression": "gzip"}, "GZIP"),
    "deltas": (
        pa.table({"a": [1, 2]}),
        {"use_dictionary": False, "column_encoding": {"a": "DELTA_BINARY_PACKED"}},
        "DELTA_BINARY_PACKED",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_name_the_column_and_the_reason(tmp_path: Path, case: str) -> None:
    table, options, reason = REFUSED[case]
    path = tmp_path / "file.parquet"
    pq.write_table(table, path, **options)
    with pytest.raises(core.UnsupportedError, match=f'column "a" .*{reason}'):
        read(path)


def test_missing_columns_and_files(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(core.UnsupportedError, match='column "b" is missing'):
        read(path, columns=["b"])
    with pytest.raises(OSError, match="No such file"):
        read(tmp_path / "other.parquet")


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    for rows in (10, 20):
        pl.DataFrame({"a": range(rows)}).write_parquet(path)
        assert read(path).height == rows


def test_more_files_than_a_process_may_have_open(tmp_path: Path) -> None:
    paths = [tmp_path / f"{i:04}.parquet" for i in range(1100)]
    for i, path in enumerate(paths):
        pl.DataFrame({"a": [i]}).write_parquet(path)
    assert read(*paths)["a"].to_list() == list(range(1100))


def test_texts_that_are_not_utf8_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    pl.DataFrame({"a": ["fine", "plain text!"]}).write_parquet(path, compression="uncompressed")
    data = path.read_bytes()
    path.write_bytes(data.replace(b"plain text!", b"plain \xff\xfe..."))
    with pytest.raises(pl.exceptions.ComputeError, match="UTF-8"):
        read(path)


def test_statistics_that_lie_are_an_error(tmp_path: Path) -> None:
    """A value that the file's statistics exclude is never cut to the width that they promise."""
    path = tmp_path / "file.parquet"
    table = pa.table({"a": pa.array([3, 70_000, 5], pa.int64())})
    for dictionary in (True, False):
        pq.write_table(table, path, compression="none", use_dictionary=dictionary, store_schema=False)
        data = path.read_bytes()
        start = int.from_bytes(data[-8:-4], "little") + 8
        body, footer = data[:-start], data[-start:]
        told = (70_000).to_bytes(8, "little")
        assert told in footer
        path.write_bytes(body + footer.replace(told, (7).to_bytes(8, "little")))
        with pytest.raises(pl.exceptions.ComputeError, match='statistics of column "a"'):
            read(path)
