"""A user's script that uses the whole package is right by `mypy --strict`, and a wrong one is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import frazil

pytest.importorskip("mypy", reason="mypy is for developers: pip install frazil[dev]")

RIGHT = """
import asyncio

import polars as pl

import frazil
from frazil.engine.options import Options


def tell(progress: frazil.Progress) -> None:
    print(progress.seconds, progress.bytes_in_use, progress.done)


engine = frazil.Engine(device="cpu", strict=True, threads=2, memory_limit=1 << 30, progress=tell, warn=True)
query = pl.LazyFrame({"a": [1, 2, 3]}).filter(pl.col("a") > 1)
frame: pl.DataFrame = query.collect(engine=engine)
both: list[pl.DataFrame] = pl.collect_all([query, query], engine=engine)
query.sink_parquet("a.parquet", engine=engine)
text: str = engine.explain(query, program=True) + engine.explain(query, format="json")
rows, profile = engine.profile(query)
height: int = rows.height + profile.height
report: frazil.Report | None = engine.last_report
if report is not None:
    native: bool = report.native
    for reason in report.reasons:
        print(reason.code, reason.node, reason.expression, reason.message, reason.advice)
    for node in report.nodes:
        print(node.node, node.device, node.rows, node.seconds)
with engine.execute(query, keep=True) as result:
    lazy: pl.LazyFrame = result.lazy()
    names: list[str] = result.schema.names()
    total: int = result.n_rows_total
    head: pl.DataFrame | None = result.head
polars_result = query.execute(engine=engine)
options: Options = engine.options
again: frazil.Engine = frazil.Engine.from_options(options)
try:
    query.collect(engine=again)
except frazil.UnsupportedError as error:
    codes: list[str] = [reason.code for reason in error.reasons]
except frazil.OutOfMemoryError:
    pass


async def later() -> pl.DataFrame:
    return await query.collect_async(engine=engine)


asyncio.run(later())
with pl.Config(engine_affinity=engine), again:
    query.collect()
engine.shutdown()
"""


def mypy(script: str, folder: Path) -> tuple[int, str]:
    """Exit code and text of mypy over a script."""
    file = folder / "script.py"
    file.write_text(script)
    site = str(Path(frazil.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", folder / "cache", file],
        env=os.environ | {"MYPYPATH": site},
        capture_output=True,
        text=True,
        timeout=280,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_right_script(tmp_path: Path) -> None:
    code, text = mypy(RIGHT, tmp_path)
    assert code == 0, text


def test_a_wrong_script(tmp_path: Path) -> None:
    code, text = mypy("import frazil\nfrazil.Engine(threads='two')\nfrazil.Engine().explain(1)\n", tmp_path)
    assert code == 1
    assert text.count("error:") == 2
