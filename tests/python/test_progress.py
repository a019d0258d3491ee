"""Long queries tell how they go."""

from __future__ import annotations

import io
import time

import polars as pl
import pytest

import frazil
from frazil import Progress, progress
from frazil import _frazil as core
from frazil.progress import line_of, teller, told, write_line

SLOW = pl.LazyFrame({"v": [1]}).map_batches(lambda rows: time.sleep(0.3) or rows)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST", 0.05)
    monkeypatch.setattr(progress, "EVERY", 0.05)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_function_is_called(device: str) -> None:
    seen: list[Progress] = []
    SLOW.collect(engine=frazil.Engine(device=device, progress=seen.append))
    assert len(seen) >= 3
    assert [word.done for word in seen] == [False] * (len(seen) - 1) + [True]
    assert [word.seconds for word in seen] == sorted(word.seconds for word in seen)
    assert seen[0].seconds >= 0.05


def test_quick_queries_say_nothing(device: str) -> None:
    seen: list[Progress] = []
    pl.LazyFrame({"v": [1]}).collect(engine=frazil.Engine(device=device, progress=seen.append))
    assert seen == []


def test_a_line_comes_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    SLOW.collect(engine=frazil.Engine())
    assert "frazil: 0 s" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")
    assert "\n" not in terminal.getvalue()


def test_only_a_terminal_is_told_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert teller(None) is None
    assert teller(True) is write_line
    monkeypatch.setattr("sys.stderr", Terminal())
    assert teller(None) is write_line
    assert teller(False) is None


def test_the_line_goes_after_an_error_too() -> None:
    seen: list[Progress] = []
    with pytest.raises(ZeroDivisionError), told(seen.append, lambda: 0, core.Query()):
        time.sleep(0.2 / (time.sleep(0.2) or 0))
    assert seen[-1].done


def test_how_far_a_query_is(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST", 0.001)
    monkeypatch.setattr(progress, "EVERY", 0.001)
    seen: list[Progress] = []
    rows = 2_000_000
    table = pl.select(k=pl.int_range(rows) * 7919 % rows).lazy()
    table.sort("k").with_columns(v=pl.col("k") + 1).collect(engine=frazil.Engine(device=device, progress=seen.append))
    fractions = [word.fraction for word in seen if word.fraction is not None]
    assert fractions == sorted(fractions)
    assert fractions[-1] > 0.999  # of millionths, each pipeline rounds its own
    assert any(0 < fraction < 1 for fraction in fractions)
    assert seen[-1].rows_done == seen[-1].rows == 2 * rows  # by the sort, and behind it
    assert "100%, 4,000,000 rows" in line_of(seen[-1])


def test_nobody_knows_how_far_polars_is() -> None:
    seen: list[Progress] = []
    SLOW.collect(engine=frazil.Engine(progress=seen.append))
    assert {word.fraction for word in seen} == {None}
    assert "%" not in line_of(seen[-1])
