"""Sinks that stand in the plan, as `sink_parquet(lazy=True)` makes them: how Polars' writer is called for our rows.

The payload of such a node is JSON that follows Polars' own structs. Each of its entries is read, or is as it is by
default; anything else is refused, and Polars runs the query.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from frazil.polars.refusal import Refused

ALL_ROWS = 2**32 - 1  # by which Polars says that a file may have any number
ALL_BYTES = 2**64 - 1
LEVELS = {"Zstd": "zstd", "Gzip": "gzip", "Brotli": "brotli"}
PLAIN = {"Uncompressed": "uncompressed", "Snappy": "snappy", "Lz4Raw": "lz4"}
QUOTES = {"Necessary": "necessary", "Always": "always", "NonNumeric": "non_numeric", "Never": "never"}
STATISTICS = {"min_value": "min", "max_value": "max", "distinct_count": "distinct_count", "null_count": "null_count"}
SYNC = {"None": None, "Data": "data", "All": "all"}


@dataclass(frozen=True)
class Writer:
    """A call of Polars' writer: the engine's method, its target, and its options."""

    method: str
    target: str | pl.PartitionBy
    options: dict[str, Any]

    def write(self, rows: pl.LazyFrame) -> None:
        """Write the rows."""
        write = getattr(pl.StreamingEngine(), self.method)
        write(rows, self.target, optimizations=pl.QueryOptFlags(), **self.options)


class Entries:
    """The entries of an object in JSON, each of which is to be taken once."""

    def __init__(self, found: Any, about: str) -> None:
        if not isinstance(found, dict):
            raise Refused("sink", f"{about} is {found!r}")
        self._left = dict(found)
        self._about = about

    def take(self, name: str) -> Any:
        """The value of an entry."""
        if name not in self._left:
            raise Refused("sink", f"{self._about} has no {name}")
        return self._left.pop(name)

    def word(self, name: str, words: Mapping[str, Any]) -> Any:
        """The value of an entry as it is called elsewhere."""
        return word(self.take(name), words, f"{name} of {self._about}")

    def require(self, **defaults: Any) -> None:
        """Take entries that are to be as they are by default."""
        for name, default in defaults.items():
            if (value := self.take(name)) != default:
                raise Refused("sink", f"{name}={value!r} of {self._about}")

    def end(self) -> None:
        """Refuse what was not taken."""
        if self._left:
            raise Refused("sink", f"{', '.join(self._left)} of {self._about}")


def word(value: Any, words: Mapping[str, Any], about: str) -> Any:
    """A value as it is called elsewhere."""
    if not isinstance(value, str) or value not in words:
        raise Refused("sink", f"{about} is {value!r}")
    return words[value]


def writer_of(payload: str, column: Callable[[int], str | None]) -> Writer:
    """The writer of a sink. column: the name of the column that an expression is, None if it is none."""
    (kind, found), *more = json.loads(payload).items()
    if more or kind not in ("File", "Partitioned"):
        raise Refused("sink", f"a sink of the kind {kind}")
    sink = Entries(found, "the sink")
    target = path_of(sink.take("target")) if kind == "File" else partitions(sink, column)
    (name, options), *more = sink.take("file_format").items()
    if more or name not in FORMATS:
        raise Refused("sink", f"files of the format {name}")
    method, read = FORMATS[name]
    entries = Entries(options, name)
    call = read(entries) | shared_options(sink.take("unified_sink_args"))
    entries.end()
    sink.end()
    if method in ("sink_parquet", "sink_ipc"):
        call["sinked_paths_callback"] = None
    return Writer(method, target, call)


def path_of(found: Any) -> str:
    """The path of a local file or folder."""
    entries = Entries(found, "the target")
    path = entries.take("inner")
    entries.end()
    if not isinstance(path, str) or "://" in path:
        raise Refused("sink", "a target that is no local file")
    return path


def partitions(sink: Entries, column: Callable[[int], str | None]) -> pl.PartitionBy:
    """The files of a partitioned sink: by columns, or by size."""
    path = path_of(sink.take("base_path"))
    provider = Entries(sink.take("file_path_provider"), "the names of files")
    provider.take("Hive")  # with the extension of the format, as it is by default
    provider.end()
    rows, size = sink.take("max_rows_per_file"), sink.take("approximate_bytes_per_file")
    limits: dict[str, Any] = {
        "max_rows_per_file": None if rows == ALL_ROWS else rows,
        "approximate_bytes_per_file": None if size == ALL_BYTES else size,
    }
    strategy = sink.take("partition_strategy")
    if strategy == "FileSize":
        return pl.PartitionBy(path, **limits)
    keyed = Entries(Entries(strategy, "the partitions").take("Keyed"), "the partitions")
    keyed.require(keys_pre_grouped=False)
    items = keyed.take("keys")
    keys = [str(item["output_name"].get("Alias")) for item in items]
    if keys != [column(item["node"]) for item in items]:
        raise Refused("sink", "keys of partitions that are no columns")
    include = keyed.take("include_keys")
    keyed.end()
    return pl.PartitionBy(path, key=keys, include_key=include, **limits)


def shared_options(found: Any) -> dict[str, Any]:
    """The options that all formats have."""
    entries = Entries(found, "the sink")
    if any_set(entries.take("cloud_options")):
        raise Refused("sink", "options of an object store")
    entries.require(sinked_paths_callback=None)
    options = {"mkdir": entries.take("mkdir"), "maintain_order": entries.take("maintain_order")}
    options |= {"sync_on_close": entries.word("sync_on_close", SYNC)}
    entries.end()
    return options | {"storage_options": None, "credential_provider": None}


def any_set(options: Any) -> bool:
    """Whether something is set in options of an object store, but for how long files are remembered."""
    if isinstance(options, dict):
        return any(any_set(value) for name, value in options.items() if name != "file_cache_ttl")
    return options is not None


def compression(found: Any, about: str) -> dict[str, Any]:
    """The name of a compression, and its level."""
    if not isinstance(found, dict):
        return {"compression": word(found, PLAIN, about), "compression_level": None}
    (name, level), *more = found.items()
    if more:
        raise Refused("sink", f"{about} is {found!r}")
    if isinstance(level, dict):
        entries = Entries(level, about)
        level = entries.take("level")
        entries.end()
    return {"compression": word(name, LEVELS, about), "compression_level": level}


def parquet(entries: Entries) -> dict[str, Any]:
    """The options of Parquet files."""
    entries.require(arrow_schema=None, compat_level=None, encryption_properties=None)
    statistics = Entries(entries.take("statistics"), "statistics")
    statistics.require(binary_statistics_truncate_length=None)
    wanted = {name: statistics.take(entry) for entry, name in STATISTICS.items()}
    statistics.end()
    metadata = entries.take("key_value_metadata")
    if metadata is not None:
        pairs = Entries(metadata, "the metadata")
        metadata = dict(pairs.take("Static"))
        pairs.end()
    return {
        **compression(entries.take("compression"), "the compression"),
        "statistics": wanted,
        "row_group_size": entries.take("row_group_size"),
        "data_page_size": entries.take("data_page_size"),
        "metadata": metadata,
        "arrow_schema": None,
        "encryption": None,
    }


def ipc(entries: Entries) -> dict[str, Any]:
    """The options of IPC files."""
    found = entries.take("compression")
    if found not in (None, "LZ4", {"ZSTD": 3}):
        raise Refused("sink", f"the compression is {found!r}")
    levels = {level._version: level for level in (pl.CompatLevel.oldest(), pl.CompatLevel.newest())}
    level = entries.take("compat_level")
    if level not in levels:
        raise Refused("sink", f"the level of compatibility is {level!r}")
    return {
        "compression": None if found is None else "lz4" if found == "LZ4" else "zstd",
        "compat_level": levels[level],
        "record_batch_size": entries.take("record_batch_size"),
        "_record_batch_statistics": entries.take("record_batch_statistics"),
    }


def csv(entries: Entries) -> dict[str, Any]:
    """The options of CSV files."""
    text = Entries(entries.take("serialize_options"), "the text")
    formats = ("datetime_format", "date_format", "time_format", "float_scientific", "float_precision", "decimal_comma")
    options = {
        **compression(entries.take("compression"), "the compression"),
        **{name: entries.take(name) for name in ("include_bom", "check_extension", "include_header", "batch_size")},
        **{name: text.take(name) for name in formats},
        "separator": chr(text.take("separator")),
        "quote_char": chr(text.take("quote_char")),
        "line_terminator": text.take("line_terminator"),
        "null_value": text.take("null"),
        "quote_style": text.word("quote_style", QUOTES),
    }
    text.end()
    return options


def ndjson(entries: Entries) -> dict[str, Any]:
    """The options of NDJSON files."""
    options = compression(entries.take("compression"), "the compression")
    return options | {"check_extension": entries.take("check_extension")}


FORMATS: dict[str, tuple[str, Callable[[Entries], dict[str, Any]]]] = {
    "Parquet": ("sink_parquet", parquet),
    "Ipc": ("sink_ipc", ipc),
    "Csv": ("sink_csv", csv),
    "NDJson": ("sink_ndjson", ndjson),
}
