"""What Polars' plans become, and what is refused of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col

import frazil
from frazil.polars.literal import physical
from frazil.polars.plan import TRAVERSER_MAJOR, Plan, Planning, plan
from frazil.polars.refusal import Refused

FRAME = pl.DataFrame({"k": [1, 2, 1, 3], "v": [10, 20, 30, 40], "s": ["a", "b", "c", "d"]})
ROWS = FRAME.lazy()
SIDE = pl.LazyFrame({"k": [1, 2, 5], "w": [7, 8, 9]})

Planned = Callable[[pl.LazyFrame], tuple[Plan, list[Any]]]


def codes(query: pl.LazyFrame) -> set[str]:
    """The codes of all refusals."""
    refused = plan(query, pl.QueryOptFlags())
    assert refused.node is None
    return {reason.code for reason in refused.reasons}


def kinds(made: list[Any]) -> list[str]:
    return [node.kind for node in made]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (ROWS.filter(col("v") > 10), ["scan_frame", "filter"]),
        (ROWS.select("s", x=col("v") + 1), ["scan_frame", "project"]),
        (ROWS.with_columns(x=col("v") + 1), ["scan_frame", "project"]),
        (ROWS.select(pl.len(), col("v").sum()), ["scan_frame", "group_by"]),
        (ROWS.group_by("k").agg(col("v").sum() + col("v").max()), ["scan_frame", "group_by"]),
        (ROWS.sort("k"), ["scan_frame", "sort"]),
        (ROWS.sort("k").head(2), ["scan_frame", "sort"]),
        (ROWS.filter(col("v") > 10).slice(1, 2), ["scan_frame", "filter", "slice"]),
        (ROWS.join(SIDE, on="k"), ["scan_frame", "scan_frame", "join"]),
        (ROWS.join(SIDE, on="k").filter(col("v") > col("w")), ["scan_frame", "scan_frame", "join"]),
    ],
)
def test_nodes(planned: Planned, query: pl.LazyFrame, expected: list[str]) -> None:
    result, made = planned(query)
    assert result.reasons == []
    assert kinds(made) == expected
    assert [name for name, _ in made[-1].schema] == list(result.schema) == query.collect_schema().names()


def test_with_columns_lists_all_columns_in_order(planned: Planned) -> None:
    _, made = planned(ROWS.with_columns(col("v") + 1, x=col("k") + 1))
    assert [name for name, _ in made[-1].expressions["columns"]] == ["k", "v", "s", "x"]


def test_a_selection_of_aggregates_is_a_group_by_without_keys(planned: Planned) -> None:
    _, made = planned(ROWS.select(total=col("v").sum() + 1))
    assert made[-1].expressions["keys"] == []
    assert [name for name, _ in made[-1].expressions["aggregates"]] == ["total"]
    assert made[-1].options == {"maintain_order": False}


def test_group_by_maintains_order_if_asked(planned: Planned) -> None:
    _, made = planned(ROWS.group_by("k", maintain_order=True).agg(pl.len()))
    assert made[-1].options == {"maintain_order": True}


def test_sort_and_top_k(planned: Planned) -> None:
    query = ROWS.sort("k", "v", descending=[True, False], nulls_last=[False, True], maintain_order=True)
    _, made = planned(query)
    options = {"descending": [True, False], "nulls_last": [False, True], "maintain_order": True, "slice": None}
    assert made[-1].options == options
    _, made = planned(query.head(3))
    assert made[-1].options == options | {"slice": [0, 3]}


def test_a_slice_to_the_end_has_length_minus_one(planned: Planned) -> None:
    _, made = planned(ROWS.filter(col("v") > 10).slice(1))
    assert made[-1].options == {"offset": 1, "length": -1}


def test_hints_for_top_k_are_dropped(planned: Planned) -> None:
    _, made = planned(ROWS.group_by("k").agg(v=col("v").sum()).sort("v").head(1))
    assert "filter" not in kinds(made)
    _, made = planned(ROWS.group_by("k").agg(v=col("v").sum()).filter(col("v") > 10).sort("v").head(1))
    assert (
        sum(
            str(expression).count("v")
            for node in made
            if node.kind == "filter"
            for _, expression in node.expressions["predicate"]
        )
        == 1
    )


def test_a_common_subplan_is_one_node(planned: Planned, tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "a.parquet")
    rows = pl.scan_parquet(tmp_path / "a.parquet").filter(col("v") > 10)
    _, made = planned(rows.join(rows.group_by("k").agg(pl.len()), on="k"))
    join = made[-1]
    assert join.kind == "join"
    by_node = {id(node.node): node for node in made}

    def leaves(node: Any) -> set[int]:
        inputs = by_node[id(node)].inputs
        return set().union(*map(leaves, inputs)) if inputs else {id(node)}

    assert leaves(join.inputs[0]) == leaves(join.inputs[1])


@pytest.mark.parametrize(
    ("how", "expected"),
    [("inner", "inner"), ("left", "left"), ("semi", "semi"), ("anti", "anti"), ("cross", "cross")],
)
def test_joins(planned: Planned, how: Any, expected: str) -> None:
    keys: dict[str, Any] = {} if how == "cross" else {"on": "k"}
    result, made = planned(ROWS.join(SIDE, how=how, **keys))
    assert result.reasons == []
    assert made[-1].options["how"] == expected
    assert made[-1].expressions["predicate"] == []
    assert len(made[-1].expressions["left"]) == len(made[-1].expressions["right"]) == len(keys)


def test_a_residual_predicate_is_part_of_an_inner_join(planned: Planned) -> None:
    _, made = planned(ROWS.join(SIDE, on="k").filter(col("v") > col("w")))
    assert made[-1].options["how"] == "inner"
    assert len(made[-1].expressions["predicate"]) == 1


@pytest.mark.parametrize(
    "query",
    [
        ROWS.sort("k").join_asof(SIDE.sort("k"), on="k"),
    ],
)
def test_other_joins_are_refused(query: pl.LazyFrame) -> None:
    assert "join" in codes(query)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (ROWS.group_by("k").agg(col("v").reverse()), "function"),
        (ROWS.select(col("v").shuffle()), "function"),
        (ROWS.select(col("v").sum().over("k")), "expression"),
        (ROWS.unpivot(["k", "v"]), "node"),
        (ROWS.sort("k").group_by_dynamic("k", every="2i").agg(pl.len()), "option"),
        (ROWS.map_batches(lambda frame: frame), "hidden"),
        (ROWS.filter(col("s").cast(pl.Time) > time(1)), "literal"),
        (pl.DataFrame({"o": [object()]}).lazy().filter(pl.lit(True)), "dtype"),
    ],
)
def test_refusals(query: pl.LazyFrame, code: str) -> None:
    assert code in codes(query)


def test_the_options_of_an_aggregate_are_not_ignored() -> None:
    total = ROWS.select(col("v").cast(pl.Float64).nan_max())
    assert codes(total) == {"payload"}


def test_deep_expressions_are_refused_and_do_not_overflow() -> None:
    deep = col("v")
    for _ in range(1000):
        deep = deep + col("k")
    assert codes(ROWS.select(deep)) == {"depth"}


def test_another_traverser_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frazil.polars.plan.TRAVERSER_MAJOR", TRAVERSER_MAJOR + 1)
    assert codes(ROWS) == {"version"}
    assert ROWS.collect(engine=frazil.Engine(device="cpu")).equals(FRAME)


def test_an_error_of_ours_is_not_flattened(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Plan:
        raise KeyboardInterrupt

    monkeypatch.setattr("frazil.polars.plan.read", interrupt)
    with pytest.raises(KeyboardInterrupt):
        plan(ROWS, pl.QueryOptFlags())


def test_planning_leaves_the_default_flags_alone() -> None:
    flags = pl.QueryOptFlags()
    plan(ROWS, flags, simplify=False)
    assert flags.simplify_expression
    assert isinstance(Planning(lambda: False).plan, Plan)


def scan(folder: Path, **options: Any) -> pl.LazyFrame:
    path = folder / "a.parquet"
    FRAME.write_parquet(path)
    return pl.scan_parquet(path, **options)


def test_scan_parquet(planned: Planned, tmp_path: Path) -> None:
    _, made = planned(scan(tmp_path).filter(col("v") > 10).select("v"))
    assert kinds(made) == ["scan_parquet"]
    assert made[0].options == {"paths": [str(tmp_path / "a.parquet")], "n_rows": None}
    assert [name for name, _ in made[0].expressions["predicate"]] == [""]
    _, made = planned(scan(tmp_path).slice(1, 2))
    assert made[0].options["n_rows"] == [1, 2]
    assert made[0].expressions == {}


@pytest.mark.parametrize(
    "options",
    [
        {"missing_columns": "insert", "schema": FRAME.schema | {"new": pl.Int64}},
    ],
)
def test_options_of_scans_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    assert codes(scan(tmp_path, **options)) == {"option"}


def test_columns_of_folders_are_made_only_where_they_are_read(planned: Planned, tmp_path: Path) -> None:
    (tmp_path / "p=1").mkdir()
    FRAME.write_parquet(tmp_path / "p=1" / "a.parquet")
    rows = pl.scan_parquet(tmp_path / "p=1" / "a.parquet", hive_partitioning=True)
    assert kinds(planned(rows.select("p"))[1]) == ["scan_parquet", "project", "project"]
    assert kinds(planned(rows.select("k"))[1]) == ["scan_parquet"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "a.csv")
    assert codes(pl.scan_csv(tmp_path / "a.csv")) == {"node"}


def test_a_frame_without_columns_keeps_its_height(planned: Planned) -> None:
    _, made = planned(ROWS.select(pl.len()))
    assert made[0].options["table"].rows == FRAME.height
    assert made[0].schema == []


UTC_NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (None, pl.Time(), None),
        (True, pl.Boolean(), True),
        (7, pl.Int128(), 7),
        (1.5, pl.Float32(), 1.5),
        ("x", pl.String(), "x"),
        (b"x", pl.Binary(), b"x"),
        (date(1969, 12, 31), pl.Date(), -1),
        (datetime(1970, 1, 1, 0, 0, 1), pl.Datetime("us"), 1_000_000),
        (datetime(1970, 1, 1, 0, 0, 1), pl.Datetime("ms"), 1_000),
        (UTC_NOON.astimezone(timezone(timedelta(hours=3))), pl.Datetime("ms", "UTC"), 1_709_208_000_000),
        (5, pl.Duration("ns"), 5),
        (Decimal("-1.50"), pl.Decimal(15, 2), -150),
        (Decimal(24), pl.Decimal(38, 0), 24),
        (Decimal("1.500"), pl.Decimal(15, 2), 150),
        (Decimal("9" * 36 + ".99"), pl.Decimal(38, 2), int("9" * 38)),
    ],
)
def test_literals_are_exact(value: object, dtype: pl.DataType, expected: object) -> None:
    found = physical(value, dtype)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (time(1), pl.Time()),
        (datetime(2024, 1, 1), pl.Datetime("ns")),
        (datetime(2024, 1, 1, microsecond=1), pl.Datetime("ms")),
        (Decimal("0.001"), pl.Decimal(15, 2)),
        (Decimal("NaN"), pl.Decimal(15, 2)),
        (datetime(2024, 1, 1), pl.Date()),
        (True, pl.Int64()),
        (1, pl.Boolean()),
        ("x", pl.Categorical()),
        ([1], pl.List(pl.Int64)),
        ({}, pl.Struct({})),
    ],
)
def test_other_literals_are_refused(value: object, dtype: pl.DataType) -> None:
    with pytest.raises(Refused):
        physical(value, dtype)


@pytest.mark.parametrize(
    "query",
    [
        ROWS.filter(col("v") > 10).select("s", "k", x=col("v") * 2),
        ROWS.group_by("k").agg(col("v").sum(), n=pl.len()).sort("k"),
        ROWS.sort("v", descending=True).head(2),
        ROWS.join(SIDE, on="k").sort("v"),
        ROWS.join(SIDE, on="k", how="semi").sort("v"),
        ROWS.join(SIDE, on="k").filter(col("v") > col("w") + 10).sort("v"),
        ROWS.select(col("v").sum(), n=pl.len()),
        ROWS.select(col("v"), total=col("v").sum()),
        ROWS.select(col("v") - col("v").mean()),
        ROWS.with_columns(total=col("v").sum()),
        ROWS.filter(col("v") > col("v").mean()),
    ],
)
def test_answers_are_those_of_polars(strict: frazil.Engine, query: pl.LazyFrame) -> None:
    assert query.collect(engine=strict).equals(query.collect(engine="in-memory"))
