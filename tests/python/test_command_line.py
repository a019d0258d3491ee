"""The command line: what it prints, and its exit code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import polars as pl
import pytest

from frazil import __main__ as command_line
from frazil import doctor
from frazil.doctor import Finding, findings, tried


def test_doctor_finds_nothing_wrong_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert f"polars           {pl.__version__}" in text
    assert "query on cpu     8,000 rows by Frazil, the answer is Polars'" in text
    assert "all is well" in text


def test_doctor_looks_at_everything() -> None:
    assert {"frazil", "python", "polars", "native module", "cpu", "memory", "environment", "polars' plans"} <= {
        finding.about for finding in findings()
    }


def fail() -> str:
    raise RuntimeError("no such luck")


PROBLEMS: dict[str, tuple[str, Callable[..., object], str]] = {
    "polars": ("polars_finding", lambda: Finding("polars", "1.0", "install another"), "install another"),
    "query": ("ask", lambda device: fail(), "RuntimeError: no such luck"),
    "plans": ("plans_finding", lambda: tried("polars' plans", fail), "RuntimeError: no such luck"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_doctor_says_what_to_do_about_a_problem(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    function, stands_in, said = PROBLEMS[name]
    monkeypatch.setattr(doctor, function, stands_in)
    assert command_line.main(["doctor"]) == 1
    assert f"-> {said}" in capsys.readouterr().out.replace("   ", "").replace(" ->", "->")


def test_doctor_sees_a_wrong_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAZIL__THREDS", "1")
    (finding,) = [finding for finding in findings() if finding.about == "environment"]
    assert "'threads'" in finding.problem


def test_doctor_sees_a_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl.DataFrame, "equals", lambda *_: False)
    assert "please report" in tried("query", lambda: doctor.ask("cpu")).problem


def test_a_gpu_without_the_library_for_it_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "gpus", lambda: [doctor.Gpu("NVIDIA X", 1 << 30)])
    monkeypatch.setattr(doctor.Path, "exists", lambda _: False)
    assert [finding.about for finding in doctor.gpu_findings() if finding.problem] == ["gpu cuda:0"]


def test_selftest_passes_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["selftest"]) == 0
    text = capsys.readouterr().out
    assert "plans: 0 differences" in text
    assert ", 0 of these wrong" in text


def test_selftest_fails_for_other_plans(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command_line, "differences", lambda: ["filter: this, now that"])
    assert command_line.main(["selftest"]) == 1
    assert "! plan filter: this, now that" in capsys.readouterr().out


def test_selftest_fails_for_wrong_answers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command_line, "equal", lambda *_: False)
    assert command_line.main(["selftest"]) == 1
    assert "! query filter:" in capsys.readouterr().out


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "frazil", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("demo", "doctor", "selftest"))
