"""Parquet files in memory. Polars shows engines neither their bytes nor how they are scanned; the query as JSON
has both. With each buffer in a file of memory and its name in the place of its bytes, it is a query over files.

The JSON holds frames too, and is slow to write: only queries over small buffers, without frames, are done so.
"""

from __future__ import annotations

import io
import json
import os
import re
from contextlib import ExitStack

import polars as pl

from frazil.polars.plan import Plan

LARGEST = 1 << 18  # bytes of all buffers; more would take longer than to read them
SCAN = re.compile(r"(\w+) SCAN \[(.*?)\]")
BUFFERS = re.compile(r"\d+ in-mem bytes(?:, \d+ in-mem bytes)*")
SOURCES = re.compile(rb'"sources":\{"Buffers":(\[\[.*?\]\])\}')  # inside of a text the quotes would be escaped
TELLS_NAMES = b'"include_file_paths":"'
# Polars' words for a scan of what is no file; and kinds of nodes whose contents the JSON would have to hold.
HIDDEN = "scan with BytesIO"
HELD = {"DataFrameScan", "PythonScan"}


def with_files(lf: pl.LazyFrame, planned: Plan, files: ExitStack) -> pl.LazyFrame | None:
    """The query over files in the place of buffers, as long as `files` is open; None if that is not worth a try."""
    if planned.root is None or not all(HIDDEN in reason.message for reason in planned.reasons):
        return None
    if any(node.kind in HELD for node in planned.root.walk()):
        return None
    scans = SCAN.findall(lf.explain(optimized=False))
    if not all(kind == "Parquet" and BUFFERS.fullmatch(sources) for kind, sources in scans):
        return None
    if sum(int(size) for _, sources in scans for size in re.findall(r"\d+", sources)) > LARGEST:
        return None
    text = io.BytesIO()
    try:
        lf._ldf.serialize_json(text)
        if TELLS_NAMES in text.getvalue():  # which would be those of our files
            return None
        named = SOURCES.sub(lambda found: in_files(found[1], files), text.getvalue())
        inner = type(lf._ldf).deserialize_json(io.BytesIO(named))
    except (pl.exceptions.PolarsError, ImportError, OSError):
        return None  # it holds what JSON has no place for
    return pl.LazyFrame._from_pyldf(inner)


def in_files(buffers: bytes, files: ExitStack) -> bytes:
    """The sources of a scan as JSON, with names of files in the place of lists of bytes."""
    paths = [{"inner": file_of(bytes(buffer), files)} for buffer in json.loads(buffers)]
    return f'"sources":{json.dumps({"Paths": paths})}'.encode()


def file_of(content: bytes, files: ExitStack) -> str:
    """The name of a file of memory with this content."""
    number = os.memfd_create("frazil")
    files.callback(os.close, number)
    with os.fdopen(os.dup(number), "wb") as file:
        file.write(content)
    return f"/proc/self/fd/{number}"
