"""Options of engines: given, from the environment, or as they are by default; and what an engine does at its end."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import polars as pl
import pytest

import frazil
from frazil import Options


def test_the_environment_sets_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAZIL__STRICT", "true")
    monkeypatch.setenv("FRAZIL__THREADS", "3")
    monkeypatch.setenv("FRAZIL__DEVICE", "cpu")
    monkeypatch.setenv("FRAZIL__PROGRESS", "off")
    engine = frazil.Engine()
    assert repr(engine) == "Engine(device='cpu', strict=True, threads=3, progress=False)"
    assert engine.threads == 3
    assert repr(frazil.Engine(strict=False, threads=2)) == "Engine(device='cpu', threads=2, progress=False)"


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        ("FRAZIL__STRIKT", "1", "'strict'"),
        ("FRAZIL__STRICT", "perhaps", "FRAZIL__STRICT='perhaps'"),
        ("FRAZIL__THREADS", "many", "whole number"),
        ("FRAZIL__THREADS", "-1", "threads is 0 or more"),
    ],
)
def test_what_the_environment_says_wrongly(
    monkeypatch: pytest.MonkeyPatch, variable: str, text: str, said: str
) -> None:
    monkeypatch.setenv(variable, text)
    with pytest.raises(ValueError, match=said):
        frazil.Engine()


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"strict": "yes"}, TypeError),
        ({"threads": 1.5}, TypeError),
        ({"threads": True}, TypeError),
        ({"threads": -1}, ValueError),
        ({"memory_limit": -1}, ValueError),
        ({"device": 1}, TypeError),
        ({"progress": "loud"}, TypeError),
        ({"device": "cuda:99"}, RuntimeError),
    ],
)
def test_wrong_options_raise(given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        frazil.Engine(**given)


def test_options_as_dicts() -> None:
    options = Options(strict=True, threads=2)
    assert Options.from_dict(options.to_dict()) == options
    assert Options.from_dict({"strict": True}).strict
    with pytest.raises(TypeError, match="'memory_limit'"):
        Options.from_dict({"memory": 1})
    engine = frazil.Engine.from_options(options)
    assert engine.options == options
    assert pickle.loads(pickle.dumps(engine)).options == options


def test_pickled_engines_do_not_ask_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    text = pickle.dumps(frazil.Engine(strict=True))
    monkeypatch.setenv("FRAZIL__THREADS", "5")
    assert repr(pickle.loads(text)) == "Engine(strict=True)"


FORKED = """
import os, sys
import polars as pl
import frazil
engine = frazil.Engine(threads=2)
query = pl.LazyFrame({"v": [1, 2, 3]}).select(pl.col("v").sum())
assert query.collect(engine=engine).item() == 6
kept = query.execute(engine=engine)
child = os.fork()
if child == 0:
    try:
        query.collect(engine=engine)
    except RuntimeError as error:
        assert "forked" in str(error) and "spawn" in str(error), error
    else:
        os._exit(2)
    engine.shutdown()
    other = frazil.Engine(threads=2)
    assert query.collect(engine=other).item() == 6
    sys.exit(0)  # ends the interpreter, and with it the engines
_, status = os.waitpid(child, 0)
assert status == 0, status
assert query.collect(engine=engine).item() == 6
print("fine")
"""


def test_a_forked_process_is_told_and_ends() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=60)
    assert done.stdout == "fine\n", done.stderr


def test_engines_end_with_the_interpreter() -> None:
    script = "import frazil; engines = [frazil.Engine(threads=2) for _ in range(3)]; print('fine')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("fine\n", "", 0)


def test_shutdown_ends_every_entry_point() -> None:
    engine = frazil.Engine()
    engine.shutdown()
    engine.shutdown()
    query = pl.LazyFrame({"a": [1]})
    for call in (
        lambda: query.collect(engine=engine),
        lambda: query.execute(engine=engine),
        lambda: pl.collect_all([query], engine=engine),
        lambda: engine.explain(query),
        lambda: list(query.collect_batches(engine=engine)),
        lambda: query.sink_parquet(os.devnull, engine=engine),
        lambda: query.collect(engine=engine, background=True).fetch_blocking(),
    ):
        with pytest.raises(RuntimeError, match="shut down"):
            call()
