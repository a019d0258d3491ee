"""What the tests of the Python package share. They want the package installed, with its native module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import oracle
import polars as pl
import pytest

import frazil
from frazil import _frazil as core
from frazil.__main__ import make_data
from frazil.polars.plan import Plan, plan


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", help='device of the engines that are tested: "cpu", "cuda" or "cuda:N"')
    parser.addoption("--few", action="store_true", help="two engines for each query that is compared, instead of six")


def pytest_configure(config: pytest.Config) -> None:
    # A GPU sees all rows at once, whatever the batches.
    oracle.few = config.getoption("--few") or config.getoption("--device") != "cpu"


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """The device of the engines that are tested."""
    device: str = request.config.getoption("--device")
    return device


@pytest.fixture(scope="session")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of TPC-H at scale 0.01."""
    folder = tmp_path_factory.mktemp("tpch")
    make_data(folder, 0.01)
    return folder


@pytest.fixture
def engine(device: str) -> Iterator[frazil.Engine]:
    """An engine that leaves to Polars what it refuses."""
    with frazil.Engine(device=device) as engine:
        yield engine


@pytest.fixture
def strict(device: str) -> Iterator[frazil.Engine]:
    """An engine that raises for what it refuses."""
    with frazil.Engine(device=device, strict=True) as engine:
        yield engine


@pytest.fixture
def on_cpu() -> Iterator[frazil.Engine]:
    """An engine on the CPU, for what differs from device to device."""
    with frazil.Engine(device="cpu") as engine:
        yield engine


class Made(NamedTuple):
    """The arguments of one call of core.node."""

    node: core.Node
    kind: str
    inputs: list[core.Node]
    expressions: dict[str, list[tuple[str, core.Expr]]]
    options: dict[str, Any]
    schema: list[tuple[str, core.DataType]]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Callable[[pl.LazyFrame], tuple[Plan, list[Made]]]:
    """A function that plans a query, and gives the plan and the nodes that were made for it, children first."""
    made: list[Made] = []
    make = core.node

    def record(*arguments: Any) -> core.Node:
        node = make(*arguments)
        made.append(Made(node, *arguments))
        return node

    def plan_query(query: pl.LazyFrame) -> tuple[Plan, list[Made]]:
        made.clear()
        return plan(query, pl.QueryOptFlags()), list(made)

    monkeypatch.setattr(core, "node", record)
    return plan_query
