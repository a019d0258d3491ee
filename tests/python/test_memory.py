"""Memory limits: a query gives the right answer or OutOfMemoryError, moves rows to files before it fails, and leaves
nothing behind."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import polars as pl
import pytest
from ctrl_c import press_ctrl_c
from oracle import differ
from polars import col
from samples import payload, random_rows

import frazil

MIB = 1 << 20
ROWS = 200_000
WIDE = pl.select(
    k=pl.int_range(ROWS) * 7919 % ROWS,
    few=pl.int_range(ROWS) % 11,
    **{f"c{n}": pl.int_range(ROWS) + n for n in range(24)},
)
NUMBERS = [f"c{n}" for n in range(24)]
# A filter makes the rows ours: frames of Polars are not counted.
OURS = WIDE.lazy().filter(col("k") >= 3)
SORT = OURS.sort("k").group_by("few", maintain_order=True).agg(col(NUMBERS).sum(), pl.len())
JOIN = (
    OURS.sort("k")
    .join(OURS.select("k", again="c1").filter(col("again") > ROWS // 2), on="k", how="left", maintain_order="left")
    .group_by("few", maintain_order=True)
    .agg(col(*NUMBERS, "again").sum())
)
GROUPS = OURS.group_by("k").agg(col("c1").sum(), col("few").n_unique()).sort("k")
TOP = OURS.sort("few", "k", descending=[True, False]).head(20_000)


@pytest.mark.parametrize(("query", "limit"), [(SORT, 16), (JOIN, 24)], ids=["sort", "join"])
@pytest.mark.parametrize("threads", [1, 4])
def test_rows_move_to_a_file_when_the_limit_presses(
    query: pl.LazyFrame, limit: int, threads: int, tmp_path: Path
) -> None:
    free = frazil.Engine(device="cpu", strict=True, threads=threads)
    expected = query.collect(engine=free)
    assert free.last_report is not None
    assert free.last_report.bytes_spilled == 0
    assert free.last_report.bytes_peak > 1.2 * limit * MIB  # so that it needs the file
    tight = frazil.Engine(
        device="cpu", strict=True, threads=threads, memory_limit=limit * MIB, spill_directory=tmp_path
    )
    actual = query.collect(engine=tight)
    assert tight.last_report is not None
    assert tight.last_report.bytes_spilled > 0
    assert tight.last_report.bytes_peak <= limit * MIB
    assert actual.equals(expected)
    assert actual.equals(query.collect())
    assert list(tmp_path.iterdir()) == []
    del actual
    gc.collect()
    assert tight.bytes_in_use == 0


@pytest.mark.parametrize("query", [SORT, JOIN, GROUPS, TOP], ids=["sort", "join", "groups", "top"])
def test_any_limit_gives_the_answer_or_says_that_it_is_too_low(query: pl.LazyFrame, tmp_path: Path) -> None:
    expected = query.collect()
    outcomes = []
    for limit in (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256):
        engine = frazil.Engine(device="cpu", strict=True, threads=2, memory_limit=limit * MIB, spill_directory=tmp_path)
        try:
            outcomes.append(query.collect(engine=engine).equals(expected))
        except frazil.OutOfMemoryError:
            outcomes.append(None)
        gc.collect()
        assert engine.bytes_in_use == 0
        assert list(tmp_path.iterdir()) == []
    assert False not in outcomes
    assert outcomes[0] is None
    assert outcomes[-1]


def test_every_dtype_comes_back_from_the_file(tmp_path: Path) -> None:
    rows = 30_000
    frame = pl.concat([random_rows(rows), payload(rows)], how="horizontal")
    frame = frame.with_columns(
        long=pl.format("text that is no part of a view: {}", "ordinal"), truth=col("ordinal") % 3 == 0
    )
    query = pl.concat([frame[5:20_000], frame[20_003:]], rechunk=False).lazy().filter(col("many") > 5)
    query = query.sort("real", maintain_order=True)
    expected = query.collect()
    spilled = 0
    for limit in (4.2, 4.6, 5.0, 5.3):
        for batch_rows in (0, 1000):
            engine = frazil.Engine(
                device="cpu",
                strict=True,
                threads=2,
                memory_limit=int(limit * MIB),
                batch_rows=batch_rows,
                spill_directory=tmp_path,
            )
            try:
                actual = query.collect(engine=engine)
            except frazil.OutOfMemoryError:
                continue
            assert differ(actual, expected, ordered=True, approximate=()) is None
            assert engine.last_report is not None
            spilled += engine.last_report.bytes_spilled
    assert spilled > 0


@pytest.mark.parametrize("folder", ["absent", "file"])
def test_a_folder_that_cannot_take_files_is_refused(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="spill_directory"):
        frazil.Engine(spill_directory=tmp_path / folder)


SCRIPT = """
import polars as pl, frazil, sys
sys.path.insert(0, {tests!r})
from test_memory import SORT, MIB
engine = frazil.Engine(device="cpu", strict=True, threads=2, memory_limit=16 * MIB, spill_directory={folder!r})
print("ready", flush=True)
try:
    while True:
        SORT.collect(engine=engine)
except KeyboardInterrupt:
    print(engine.bytes_in_use, flush=True)
"""


def test_ctrl_c_leaves_no_files(tmp_path: Path) -> None:
    script = SCRIPT.format(tests=str(Path(__file__).parent), folder=str(tmp_path))
    _, said = press_ctrl_c(script, after=0.7)
    assert said == ["0"]
    assert os.listdir(tmp_path) == []
