"""What this Polars shows of its plans is what the translation knows; another Polars runs its queries itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import frazil
from frazil.polars import selftest

SOURCE = Path(__file__).parents[2] / "python/frazil/polars/known_plans.json"
QUERY = pl.LazyFrame({"a": [1, 2]}).filter(pl.col("a") > 1)


def test_polars_shows_what_is_known() -> None:
    """FRAZIL_RECORD=1 writes down what this Polars shows: read the difference."""
    if os.environ.get("FRAZIL_RECORD"):
        SOURCE.write_text(json.dumps(selftest.as_shown(), indent=1) + "\n")
    assert json.loads(SOURCE.read_text()) == selftest.as_shown()
    assert selftest.differences() == []


def test_there_are_many_plans_of_many_kinds() -> None:
    known = json.loads(selftest.KNOWN.read_text())
    assert len(known) >= 55
    text = "\n".join(line for lines in known.values() for line in lines)
    for kind in (
        "Scan",
        "Join",
        "GroupBy",
        "Sort",
        "Window",
        "Agg",
        "MapFunction",
        "Cache",
        "Union",
        "HConcat",
        "Sink",
    ):
        assert f"{kind}(" in text
    assert sum(line.endswith(": True") for line in known["joins that check keys"]) == 9
    for name in ("fused_predicate", "dynamic_pred", "cast_columns_policy", "IEJoin", "AsOf", "4294967295"):
        assert name in text


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As if Polars showed one thing otherwise: the record says something else."""
    known = json.loads(selftest.KNOWN.read_text())
    known["filter"][0] = known["filter"][0].replace("predicate", "condition")
    record = tmp_path / "known.json"
    record.write_text(json.dumps(known))
    monkeypatch.setattr(selftest, "KNOWN", record)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    selftest.problem.cache_clear()
    yield tmp_path / "cache"
    selftest.problem.cache_clear()


def test_another_polars_runs_its_queries_itself_and_says_so_once(changed: Path, device: str) -> None:
    engine = frazil.Engine(device=device)
    with pytest.warns(frazil.FallbackWarning, match="filter") as caught:
        heights = [QUERY.collect(engine=engine).height for _ in range(2)]
    assert heights == [1, 1]
    assert len(caught) == 1
    assert engine.last_report is not None
    assert not engine.last_report.native
    assert {reason.code for reason in engine.last_report.reasons} == {"version"}
    with pytest.raises(frazil.UnsupportedError, match="version"):
        QUERY.collect(engine=frazil.Engine(device=device, strict=True))
    assert "streaming engine runs the whole query" in engine.explain(QUERY)
    assert not changed.exists()


def test_a_passed_test_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    runs: list[int] = []

    def none() -> list[str]:
        runs.append(1)
        return []

    monkeypatch.setattr(selftest, "differences", none)
    for _ in range(2):
        selftest.problem.cache_clear()
        assert selftest.problem() is None
    assert runs == [1]
    (file,) = (tmp_path / "frazil").iterdir()
    assert pl.__version__ in file.name
    selftest.problem.cache_clear()


def test_without_a_folder_to_remember_in_it_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    selftest.problem.cache_clear()
    assert selftest.problem() is None
    selftest.problem.cache_clear()


def test_a_test_that_fails_is_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def fail() -> list[str]:
        raise AttributeError("no get_exprs")

    monkeypatch.setattr(selftest, "differences", fail)
    selftest.problem.cache_clear()
    with pytest.warns(frazil.FallbackWarning, match="get_exprs"):
        assert selftest.problem()
    selftest.problem.cache_clear()
