"""The queries of PDS-H: native, and equal to Polars' answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.lazyframe.engine import _LocalEngine

import frazil
from frazil.__main__ import equal, main
from frazil.pdsh import QUERIES


@pytest.mark.parametrize("number", QUERIES)
def test_a_query_is_native_and_equal_to_polars(tpch: Path, strict: frazil.Engine, number: int) -> None:
    query = QUERIES[number](tpch)
    assert equal(query.collect(engine=strict), query.collect(engine="streaming"))
    report = strict.last_report
    assert report is not None
    assert report.native
    assert sum(node.rows for node in report.nodes) > 0


def test_no_engine_of_polars_runs_any_of_it(tpch: Path, strict: frazil.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """All entry points of Polars' engines raise, but for planning, whose root must have been replaced."""
    answers = {number: QUERIES[number](tpch).collect(engine="streaming") for number in QUERIES}
    collect = _LocalEngine.collect
    planned: list[str] = []

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("Polars was asked to run a query")

    def only_plan(
        self: Any, lf: Any, *, optimizations: Any, post_opt_callback: Callable[[Any], None] | None = None
    ) -> Any:
        def callback(traverser: Any, _: int | None = None) -> None:
            root = traverser.get_node()
            assert post_opt_callback is not None
            post_opt_callback(traverser)
            traverser.set_node(root)
            assert traverser.get_inputs() == []
            planned.append(traverser.view_current_node().options[2])

        return collect(self, lf, optimizations=optimizations, post_opt_callback=callback)

    for name in ("execute", "collect_async", "collect_batches", "collect_all", "collect_all_async", "sink_batches"):
        monkeypatch.setattr(_LocalEngine, name, refuse)
    for kind in ("parquet", "ipc", "csv", "ndjson"):
        monkeypatch.setattr(_LocalEngine, f"sink_{kind}", refuse)
    monkeypatch.setattr(_LocalEngine, "collect", refuse)
    monkeypatch.setattr(pl.InMemoryEngine, "collect", only_plan, raising=False)
    for number in QUERIES:
        assert equal(QUERIES[number](tpch).collect(engine=strict), answers[number])
    assert planned == ["cuda"] * len(QUERIES)  # the name that Polars gives to a replaced node


def test_the_demo_prints_each_query(tpch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["demo", "--data", str(tpch), "--device", "cpu"])
    lines = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("Q")]
    assert lines == [f"Q{number}" for number in QUERIES]
    assert code in (0, 1)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ([1.0, None], [1.0 + 1e-12, None], True),
        ([1.0, None], [1.0, 2.0], False),
        ([float("nan")], [float("nan")], True),
        ([1.0], [1.0 + 1e-6], False),
        ([1], [1.0], False),
        ([1, None], [1, None], True),
        ([1], [2], False),
        ([1], [1, 1], False),
    ],
)
def test_equality_of_answers(left: list[object], right: list[object], same: bool) -> None:
    assert equal(pl.DataFrame({"a": left}), pl.DataFrame({"a": right})) is same
