"""The command line: `frazil demo`, `frazil doctor` and `frazil selftest`, each also as `python -m frazil ...`.

demo: queries of PDS-H on Frazil beside Polars' streaming engine, with the same answers or not.
doctor: what is on this machine, a query on each device, and what to do about each problem.
selftest: whether Polars shows its plans as Frazil knows them, and whether the demo's queries are right on tiny data.
Exit code 0 if all is well, else 1.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

import frazil
from frazil.doctor import doctor
from frazil.pdsh import QUERIES
from frazil.polars.selftest import differences, plans

RUNS = 3
FLOAT_TOLERANCE = 1e-9  # relative


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 if all is well, else 1."""
    parser = ArgumentParser(prog="frazil", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    demo_command = commands.add_parser("demo", help="run queries 1, 3, 6, 18 and 19 beside Polars")
    demo_command.add_argument("--scale", type=positive, default=0.1, help="scale factor; 1 is about 1 GB of text")
    demo_command.add_argument("--data", type=Path, help="folder of the Parquet files, made if they are missing")
    demo_command.add_argument("--device", default="auto", help='"auto", "cpu", "cuda" or "cuda:N"')
    demo_command.set_defaults(run=demo)
    doctor_command = commands.add_parser("doctor", help="look at this machine, and at what is wrong with it")
    doctor_command.set_defaults(run=lambda _: doctor())
    selftest_command = commands.add_parser("selftest", help="test plans and queries on tiny data")
    selftest_command.add_argument("--device", default="cpu", help='"auto", "cpu", "cuda" or "cuda:N"')
    selftest_command.set_defaults(run=selftest)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code


def positive(text: str) -> float:
    """A scale factor."""
    value = float(text)
    if not value > 0:
        raise ArgumentTypeError(f"{text} is not above 0")
    return value


def demo(options: Namespace) -> int:
    """Run all queries; print a line for each."""
    folder = options.data or Path.home() / ".cache" / "frazil" / f"pdsh-{options.scale:g}"
    make_data(folder, options.scale)
    print(f"{folder}, best of {RUNS} runs in turn\n")
    print(
        f"{'query':<6} {'frazil':>10} {'polars':>10} {'ratio':>7}  {'answer':<9} {'device':<8} {'rows by frazil':>15}"
    )
    with frazil.Engine(device=options.device) as engine:
        fine = [compare(number, query(folder), engine) for number, query in QUERIES.items()]
    return 0 if all(fine) else 1


def selftest(options: Namespace) -> int:
    """Compare plans with what is known, and the answers of tiny queries with Polars'."""
    found = differences()
    for difference in found:
        print(f"! plan {difference}")
    print(f"plans: {len(found)} differences from what is known")
    wrong = asked = native = 0
    with frazil.Engine(device=options.device, strict=True) as engine, TemporaryDirectory() as folder:
        for name, query in plans(Path(folder)).items():
            asked += 1
            try:
                ours = outcome(query, engine)
            except frazil.UnsupportedError:
                continue
            native += 1
            if not agree(ours, outcome(query, pl.InMemoryEngine())):
                wrong += 1
                print(f"! query {name}: the answer is not Polars'")
    print(f"queries: {asked} asked on {options.device}, {native} of them wholly Frazil's, {wrong} of these wrong")
    return 1 if found or wrong else 0


def outcome(query: pl.LazyFrame, engine: pl.Engine) -> pl.DataFrame | type[Exception]:
    """The rows of a query, or the class of the error that it ends in."""
    try:
        return query.collect(engine=engine)
    except pl.exceptions.PolarsError as error:
        return type(error)


def agree(ours: pl.DataFrame | type[Exception], theirs: pl.DataFrame | type[Exception]) -> bool:
    """Whether two outcomes are the same, in whatever order the rows are."""
    if isinstance(ours, pl.DataFrame) and isinstance(theirs, pl.DataFrame):
        return equal(sorted_rows(ours), sorted_rows(theirs))
    return ours is theirs


def sorted_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows in an order that does not depend on how they came."""
    flat = [name for name, dtype in frame.schema.items() if not dtype.is_nested()]
    return frame.sort(flat, maintain_order=True) if flat else frame


def compare(number: int, query: pl.LazyFrame, engine: frazil.Engine) -> bool:
    """Run one query on both engines in turn and print how it went; whether it was native and right."""
    streaming = pl.StreamingEngine()
    ours, theirs = math.inf, math.inf
    same = native = True
    rows, device = 0, ""
    for _ in range(RUNS):
        frame, seconds = timed(query, engine)
        wanted, polars_seconds = timed(query, streaming)
        ours, theirs = min(ours, seconds), min(theirs, polars_seconds)
        same &= equal(frame, wanted)
        report = engine.last_report
        assert report is not None
        native &= report.native
        rows, device = sum(node.rows for node in report.nodes), report.device or "polars"
    answer = "equal" if same else "DIFFERENT"
    print(
        f"Q{number:<5} {ours:>8.4f} s {theirs:>8.4f} s {theirs / ours:>6.2f}x  {answer:<9} {device:<8} {rows:>15,}",
        flush=True,
    )
    if not native:
        print(engine.explain(query))
    return same and native


def timed(query: pl.LazyFrame, engine: pl.Engine) -> tuple[pl.DataFrame, float]:
    """The result, and the seconds of its collect: planning, reading, running and copying back."""
    start = time.perf_counter()
    frame = query.collect(engine=engine)
    return frame, time.perf_counter() - start


def equal(left: pl.DataFrame, right: pl.DataFrame) -> bool:
    """Whether names, dtypes and rows are the same, floats within a relative 1e-9."""
    if left.schema != right.schema or left.height != right.height:
        return False
    return all(
        all(map(close, column, right.get_column(column.name)))
        if column.dtype.is_float()
        else column.equals(right.get_column(column.name))
        for column in left
    )


def close(left: float | None, right: float | None) -> bool:
    """Whether two floats agree; null equals null, NaN equals NaN."""
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=FLOAT_TOLERANCE) or (math.isnan(left) and math.isnan(right))


def make_data(folder: Path, scale: float) -> None:
    """Make the tables with tpchgen-cli, if they are not there."""
    if (folder / "lineitem.parquet").exists():
        return
    beside = Path(sys.executable).with_name("tpchgen-cli")
    program = str(beside) if beside.exists() else shutil.which("tpchgen-cli")
    if program is None:
        raise SystemExit("the data are made by tpchgen-cli: pip install tpchgen-cli, or name a folder with --data")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [program, "parquet", "-s", f"{scale:g}", "--output-dir", str(folder), "--quiet", "--overwrite"], check=True
    )


if __name__ == "__main__":
    sys.exit(main())
