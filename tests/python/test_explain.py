"""What `explain` says before a query runs, and `profile` after it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from polars import col

import frazil
from frazil import _frazil as core
from frazil.polars.plan import plan
from frazil.polars.selftest import plans
from frazil.polars.text import detail_of
from frazil.reasons import CODES

FRAME = pl.DataFrame({"k": [1, 2, 1, 3], "v": [10, 20, 30, 40], "s": ["a", "b", "c", None]})
ROWS = FRAME.lazy()
PLUS_ONE = col("v").map_batches(lambda values: values + 1, return_dtype=pl.Int64)
SUMS = ROWS.filter(col("v") > 10).group_by("k").agg(col("v").sum())


def explained(engine: frazil.Engine, query: pl.LazyFrame) -> Any:
    return json.loads(engine.explain(query, format="json"))


def test_a_native_plan(on_cpu: frazil.Engine) -> None:
    assert on_cpu.explain(SUMS.sort("k").head(2)) == (
        "Frazil runs the query.\n"
        "Sort [frazil cpu] ~1 rows: k\n"
        "  GroupBy [frazil cpu] ~1 rows: by k: v = sum(v)\n"
        "    Filter [frazil cpu] ~1 rows: (v > 10)\n"
        "      DataFrameScan [frazil cpu] ~4 rows: k, v"
    )


def test_parts_reasons_and_what_to_change(on_cpu: frazil.Engine) -> None:
    text = on_cpu.explain(SUMS.select("k", PLUS_ONE))
    assert text.startswith(
        "Polars' in-memory engine runs the query over parts that Frazil runs.\nSelect [Polars in-memory]"
    )
    assert "\n  ! hidden: column 'v': Polars does not show it" in text
    assert CODES["hidden"].advice in text
    assert "\n  GroupBy [frazil cpu]" in text
    assert "anonymousfunction" in text


def test_a_query_for_polars_alone(engine: frazil.Engine) -> None:
    text = engine.explain(ROWS.select(PLUS_ONE))
    assert text.startswith("Polars' streaming engine runs the whole query.\nSelect [Polars streaming]")
    assert "\n  DataFrameScan [Polars streaming] ~4 rows: v" in text


def test_a_strict_engine_says_that_it_refuses(strict: frazil.Engine) -> None:
    text = strict.explain(SUMS.select(PLUS_ONE))
    assert text.startswith("This engine is strict: the query raises UnsupportedError.\nSelect [refused]")
    assert "GroupBy [not run]" in text
    assert strict.last_report is None


def test_json_has_the_same(on_cpu: frazil.Engine, strict: frazil.Engine) -> None:
    native = explained(on_cpu, SUMS)
    assert native["native"]
    assert native["polars"] == ""
    assert native["reasons"] == []
    assert native["plan"]["kind"] == "GroupBy"
    assert native["plan"]["columns"] == {"k": "Int64", "v": "Int64"}
    assert native["plan"]["inputs"][0]["device"] == "frazil cpu"
    refused = explained(on_cpu, SUMS.select("k", PLUS_ONE))
    assert not refused["native"]
    assert refused["polars"] == "in-memory"
    (reason,) = refused["plan"]["reasons"]
    assert reason.keys() == {"code", "node", "expression", "message", "advice"}
    assert (reason["code"], reason["node"], reason["expression"]) == ("hidden", "Select", "v")
    assert refused["reasons"] == [reason]
    assert explained(strict, SUMS.select(PLUS_ONE))["polars"] == ""


def test_refusals_of_the_core_stand_at_their_node(engine: frazil.Engine) -> None:
    def check(node: core.Node) -> list[Any]:
        """Refuses projections, once for each of them."""
        lines = str(node).splitlines()
        one = {"code": "dtype", "node": "project", "expression": "v", "message": "met"}
        return [one for line in lines if line.lstrip().startswith("project")]

    query = ROWS.filter(col("v") > 10).with_columns(col("v") + 1).sort("v").head(3).with_columns(col("v") * 2)
    root = plan(query, pl.QueryOptFlags(), check=check).root
    assert root is not None
    refused = {node.kind: [reason.code for reason in node.reasons] for node in root.walk()}
    assert refused["HStack"] == ["dtype"]
    assert refused["Sort"] == refused["Filter"] == []
    ours = {node.kind for node in root.walk() if node.node is not None}
    assert ours == {"DataFrameScan", "Filter"}
    assert [node.reasons[0].node for node in root.walk() if node.kind == "HStack"] == ["HStack"] * 2


def test_other_formats_are_an_error(engine: frazil.Engine) -> None:
    with pytest.raises(ValueError, match="xml"):
        engine.explain(SUMS, format="xml")  # type: ignore[arg-type]


def test_rows_of_files_come_from_their_footers(engine: frazil.Engine, tmp_path: Path) -> None:
    for name in "ab":
        FRAME.write_parquet(tmp_path / f"{name}.parquet")
    rows = pl.scan_parquet(tmp_path / "*.parquet")
    assert explained(engine, rows)["plan"]["rows"] == 8
    assert explained(engine, rows.head(5))["plan"]["rows"] == 5
    assert explained(engine, rows.filter(col("v") > 10))["plan"]["rows"] == 2
    assert explained(engine, rows.select(col("v").sum()))["plan"]["rows"] == 1


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (ROWS.join(ROWS, how="cross"), 16),
        (ROWS.join(ROWS.select("k"), on="k"), 4),
        (pl.concat([ROWS, ROWS.filter(col("v") > 10)]), 5),
        (ROWS.map_batches(lambda rows: rows), None),
        (ROWS.select(pl.len()), 1),
        (ROWS.slice(1, 2), 2),
    ],
)
def test_rows_are_estimated(engine: frazil.Engine, query: pl.LazyFrame, rows: int | None) -> None:
    assert explained(engine, query)["plan"]["rows"] == rows


TEXTS: dict[str, tuple[pl.Expr, str]] = {
    "arithmetic": (col("v") * 2 - col("k"), "((v * 2) - k)"),
    "logic": ((col("v") > 1) & (col("k") != 2), "((v > 1) & (k != 2))"),
    "conditions": (pl.when(col("v") > 1).then(col("k")).otherwise(0), "when (v > 1) then k else 0"),
    "cast": (col("v").cast(pl.Float64), "cast(v, Float64)"),
    "function": (col("s").str.starts_with("a"), "StartsWith(s, 'a')"),
    "window": (col("v").sum().over("k"), "sum(v) over (k)"),
    "order": (col("v").sort(), "sort(v)"),
    "filter": (col("v").filter(col("k") > 1), "filter(v, (k > 1))"),
    "python": (col("v").map_elements(lambda v: v, return_dtype=pl.Int64) + 1, "(<anonymousfunction> + 1)"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_expressions_are_shown(engine: frazil.Engine, name: str) -> None:
    expression, text = TEXTS[name]
    detail = explained(engine, ROWS.select("s", x=expression))["plan"]["detail"]
    assert detail == f"s, x = {text}" or text in detail


def test_secrets_in_paths_are_not_shown() -> None:
    view = SimpleNamespace(paths=["s3://user:secret@bucket/a.parquet"], predicate=None)
    place = SimpleNamespace(kind="Scan.parquet", move_to=lambda child: None)
    assert detail_of(None, view, place) == "s3://..."


def test_profile_tells_of_each_operator(on_cpu: frazil.Engine) -> None:
    frame, profile = on_cpu.profile(SUMS.sort("k"))
    assert frame.equals(SUMS.sort("k").collect(engine="in-memory"))
    assert profile.columns == [*frazil.NodeReport._fields, "note"]
    assert set(profile.dtypes) == {pl.String, pl.Int64, pl.Float64}
    assert profile.rows()[-1][:3] == ("sort", "cpu", 3)
    assert on_cpu.last_report is not None
    assert on_cpu.last_report.bytes_peak > 0
    _, profile = on_cpu.profile(ROWS.select(PLUS_ONE))
    assert profile.height == 0


def test_plans_of_all_kinds_are_explained(engine: frazil.Engine, tmp_path: Path) -> None:
    for name, query in plans(tmp_path).items():
        assert engine.explain(query), name
        assert json.loads(engine.explain(query, format="json"))["plan"], name


def test_profile_tells_of_row_groups_left_out(engine: frazil.Engine, tmp_path: Path) -> None:
    pl.DataFrame({"v": range(1000)}).write_parquet(tmp_path / "a.parquet", row_group_size=100)
    _, profile = engine.profile(pl.scan_parquet(tmp_path / "a.parquet").filter(col("v") < 100))
    assert profile["node"][0] == "scan_parquet"
    assert profile["note"][0] == "9 of 10 row groups left out"
    assert profile["row_groups"][0] == 10
    assert profile["row_groups_pruned"][0] == 9


def test_profile_tells_of_bytes() -> None:
    rows = 1_000_000
    table = pl.select(k=pl.int_range(rows) % 7, v=pl.int_range(rows) * 7919 % rows).lazy()
    with frazil.Engine(device="cpu", strict=True) as engine:
        _, profile = engine.profile(table.sort("v").group_by("k").agg(col("v").first()))
        assert engine.last_report is not None
        peak = engine.last_report.bytes_peak
    sort, group_by = (profile.row(by_predicate=col("node") == node, named=True) for node in ("sort", "group_by"))
    assert sort["bytes"] == rows * 16
    assert group_by["bytes"] >= rows * 16
    assert sort["bytes_peak"] > rows * 16
    assert sort["seconds"] > group_by["seconds"]  # it is sorted when the groups ask for rows
    assert profile["bytes_peak"].max() == peak
