"""Long queries tell how they go."""

from __future__ import annotations

import io
import time

import polars as pl
import pytest

import frazil
from frazil import Progress, progress
from frazil.progress import teller, told, write_line

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
    with pytest.raises(ZeroDivisionError), told(seen.append, lambda: 0):
        time.sleep(0.2 / (time.sleep(0.2) or 0))
    assert seen[-1].done
