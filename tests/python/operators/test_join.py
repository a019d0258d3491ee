"""Joins against Polars."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest
from oracle import assert_agreement
from polars import col
from samples import ALL, pairs, payload, random_rows, variants

import frazil

LEFT = random_rows(1500, seed=1)
RIGHT = random_rows(400, seed=2).rename({"ordinal": "place"})
How = Literal["inner", "left", "right", "full", "semi", "anti"]
HOW: list[How] = ["inner", "left", "right", "full", "semi", "anti"]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("keys", [["few"], ["many"], ["text"], ["few", "text"], ["many", "few", "text"]])
@pytest.mark.parametrize("nulls_equal", [False, True])
def test_rows_with_equal_keys(device: str, how: How, keys: list[str], nulls_equal: bool) -> None:
    left, right = LEFT.head(300), RIGHT.head(60)
    for a, b in ((left, right), (right, left), (left, right.clear()), (left.clear(), right)):
        query = a.lazy().join(b.lazy(), on=keys, how=how, nulls_equal=nulls_equal)
        assert_agreement(query, device, ordered=False)


@pytest.mark.parametrize("how", HOW)
def test_more_than_a_tile(device: str, how: How) -> None:
    for a, b in ((LEFT, RIGHT), (RIGHT, LEFT), (LEFT, LEFT.unique("many"))):
        assert_agreement(a.lazy().join(b.lazy(), on="many", how=how), device, ordered=False)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_keys_of_every_dtype(device: str, how: How, dtype: Any) -> None:
    other = pairs(dtype).select("a", c="b")[::5]
    for rows in variants(pairs(dtype)):
        assert_agreement(rows.lazy().join(other.lazy(), on="a", how=how), device, ordered=False)
        both = rows.lazy().join(other.lazy(), left_on=["a", "b"], right_on=["a", "c"], how=how, nulls_equal=True)
        assert_agreement(both, device, ordered=False)


@pytest.mark.parametrize("how", HOW)
def test_columns_that_are_only_passed_on_are_kept(device: str, how: How) -> None:
    left = pl.concat([LEFT.select("ordinal", "few").head(60), payload(60)], how="horizontal")
    right = pl.concat([RIGHT.select("few").head(7), payload(7)], how="horizontal")
    assert_agreement(left.lazy().join(right.lazy(), on="few", how=how), device, ordered=False)
    assert_agreement(right.lazy().join(left.lazy(), on="few", how=how), device, ordered=False)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full"])
@pytest.mark.parametrize("coalesce", [True, False])
def test_names_of_the_columns(device: str, how: How, coalesce: bool) -> None:
    left, right = LEFT.head(50).lazy(), RIGHT.head(50).lazy()
    query = left.join(right, left_on="many", right_on="place", how=how, coalesce=coalesce, suffix="_of_right")
    assert_agreement(query, device, ordered=False)
    assert_agreement(left.join(right, on="few", how=how, coalesce=coalesce), device, ordered=False)


@pytest.mark.parametrize("how", ["left", "semi", "anti"])
def test_the_order_of_the_left_side_is_kept_if_asked_for(device: str, how: How) -> None:
    query = LEFT.lazy().join(RIGHT.lazy(), on="many", how=how, maintain_order="left")
    assert_agreement(query.select("ordinal"), device)


@pytest.mark.parametrize("how", ["inner", "right"])
def test_the_order_of_the_right_side_is_kept_if_asked_for(device: str, how: How) -> None:
    for order in ("right", "right_left"):
        query = LEFT.lazy().join(RIGHT.lazy(), on="many", how=how, maintain_order=order)  # type: ignore[arg-type]
        assert_agreement(query, device)


def test_rows_of_a_full_join_are_in_the_order_of_both_sides(device: str) -> None:
    query = LEFT.lazy().join(RIGHT.lazy(), on="many", how="full", maintain_order="left_right")
    assert_agreement(query, device)
    assert_agreement(query.slice(1700, 90), device)


@pytest.mark.parametrize("how", ["right", "full"])
def test_keys_of_unlike_dtypes(device: str, how: How) -> None:
    left = LEFT.lazy().with_columns(col("few").cast(pl.Int8))
    for coalesce in (True, False):
        assert_agreement(left.join(RIGHT.lazy(), on="few", how=how, coalesce=coalesce), device, ordered=False)
    query = LEFT.lazy().join(RIGHT.lazy(), left_on=col("few") + 1, right_on="few", how=how)
    assert_agreement(query.select(pl.exclude("text", "text_right")), device, ordered=False)


@pytest.mark.parametrize(
    "predicates",
    [
        [col("ordinal") < col("place")],
        [col("ordinal") >= col("place"), col("real") > col("real_right")],
        [col("many") == col("many_right"), col("ordinal") < col("place")],
        [col("ordinal") + col("place") < 40],
        [col("text") <= col("text_right"), col("price") != col("price_right")],
    ],
)
def test_joins_on_inequalities(device: str, predicates: list[pl.Expr]) -> None:
    left, right = LEFT.lazy().head(70), RIGHT.lazy().head(50)
    assert_agreement(left.join_where(right, *predicates), device, ordered=False)
    assert_agreement(left.join_where(right.head(0), *predicates).select("place", "text"), device, ordered=False)


def test_keys_that_are_expressions(device: str) -> None:
    query = LEFT.lazy().join(RIGHT.lazy(), left_on=col("few") + 1, right_on=col("few"))
    assert_agreement(query.select("ordinal", "place", "many"), device, ordered=False)


@pytest.mark.parametrize(
    "predicate", [col("price") > col("price_right"), (col("real") > 0) & (col("text") != col("text_right"))]
)
def test_a_filter_over_both_sides_of_an_inner_join(device: str, predicate: pl.Expr) -> None:
    query = LEFT.lazy().join(RIGHT.lazy(), on="many").filter(predicate)
    assert_agreement(query, device, ordered=False)


def test_joins_of_joins_and_groups(device: str) -> None:
    large = LEFT.lazy().group_by("few").agg(total=col("price").sum()).filter(col("total") > 0)
    query = LEFT.lazy().join(large, on="few", how="semi").join(RIGHT.lazy(), on="many").join(LEFT.lazy(), on="ordinal")
    assert_agreement(query, device, ordered=False)
    assert_agreement(query.group_by("few").agg(col("place").max(), pl.len()), device, ordered=False)


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_all_rows_with_all(device: str, rows: int) -> None:
    other = RIGHT.lazy().head(rows)
    assert_agreement(LEFT.lazy().head(50).join(other, how="cross"), device)
    assert_agreement(LEFT.lazy().head(0).join(other, how="cross"), device)


def test_a_slice_of_a_join(device: str) -> None:
    joined = LEFT.lazy().join(RIGHT.lazy(), on="many", how="left", maintain_order="left_right")
    assert_agreement(joined.slice(5, 7), device)
    assert_agreement(joined.tail(3), device)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (
            LEFT.lazy().sort("ordinal").join_asof(RIGHT.lazy().sort("place"), left_on="ordinal", right_on="place"),
            "join",
        ),
        (LEFT.lazy().join(RIGHT.lazy(), on="many", how="left", maintain_order="right"), "join_order"),
        (LEFT.lazy().join(RIGHT.lazy(), on="many", how="full", maintain_order="right_left"), "join_order"),
    ],
)
def test_what_is_refused_says_why(strict: frazil.Engine, query: pl.LazyFrame, code: str) -> None:
    with pytest.raises(frazil.UnsupportedError) as caught:
        query.collect(engine=strict)
    assert code in {reason.code for reason in caught.value.reasons}


SCANNED = pl.DataFrame(
    {
        "key": [None if n % 10 == 9 else n for n in range(2000)],  # rising: a row group has 100 of them
        "day": pl.Series(range(2000)).cast(pl.Date),
        "price": (pl.Series(range(2000)) / 100).cast(pl.Decimal(12, 2)),
        "few": [n % 3 for n in range(2000)],
        "real": [float(n) for n in range(2000)],
    }
)
FOUND = SCANNED.select("key", "day", "price", "few", "real", place="key").slice(730, 60)  # row groups 7


def scanned(folder: Path) -> pl.LazyFrame:
    path = folder / "rising.parquet"
    if not path.exists():
        SCANNED.write_parquet(path, row_group_size=100, statistics=True)
    return pl.scan_parquet(path)


def row_groups_left_out(query: pl.LazyFrame) -> int:
    """Checked to give what Polars does."""
    assert_agreement(query, "cpu", ordered=False)
    engine = frazil.Engine(device="cpu", strict=True)
    query.collect(engine=engine)
    assert engine.last_report is not None
    return sum(node.row_groups_pruned for node in engine.last_report.nodes)


@pytest.mark.parametrize("key", ["key", "day", "price"])
def test_row_groups_without_a_partner_are_left_out(tmp_path: Path, key: str) -> None:
    rows, found = scanned(tmp_path), FOUND.lazy()
    other = found.select(pl.col(key), of=pl.col("real"))
    assert row_groups_left_out(rows.join(other, on=key)) == 19
    assert row_groups_left_out(other.join(rows, on=key)) == 19
    assert row_groups_left_out(rows.join(other, on=key, how="semi")) == 19
    # Several rows with a key, so that the program is cut; and a filter and a projection on the way.
    twice = pl.concat([other, other])
    assert row_groups_left_out(rows.join(twice, on=key)) == 19
    assert row_groups_left_out(rows.filter(col("few") > 0).select("few", **{key: key}).join(twice, on=key)) == 19


def test_row_groups_that_several_keys_leave_out(tmp_path: Path) -> None:
    rows = scanned(tmp_path)
    other = FOUND.lazy().select("key", "day", "few")
    assert row_groups_left_out(rows.join(other, on=["few", "key"])) == 19
    assert row_groups_left_out(rows.join(other, on=["day", "key"], nulls_equal=False)) == 19
    # Two joins, one behind the other: both restrict the source.
    early, late = (
        rows.collect().lazy().filter(col("key").is_between(*at)).select("key") for at in ((0, 950), (850, 1999))
    )
    assert row_groups_left_out(rows.join(early, on="key", how="semi").join(late, on="key", how="semi")) == 18


def test_joins_without_rows_read_nothing(tmp_path: Path) -> None:
    none = FOUND.lazy().filter(col("few") > 5).select("key")
    assert row_groups_left_out(scanned(tmp_path).join(none, on="key")) == 20
    assert row_groups_left_out(scanned(tmp_path).join(none, on="key", how="semi")) == 20
    nulls = pl.LazyFrame({"key": [None, None]}, schema={"key": pl.Int64})
    assert row_groups_left_out(scanned(tmp_path).join(nulls, on="key")) == 20


def test_rows_that_a_join_keeps_are_read(tmp_path: Path) -> None:
    rows, other = scanned(tmp_path), FOUND.lazy().select("key", "real", of="few")
    for how in ("left", "anti", "full"):
        assert row_groups_left_out(rows.join(other, on="key", how=how)) == 0  # type: ignore[arg-type]
    nulls = pl.concat([other, other.with_columns(key=pl.lit(None, pl.Int64))])
    assert row_groups_left_out(rows.join(nulls, on="key", nulls_equal=True)) == 0
    assert row_groups_left_out(rows.join(other, on="real")) == 0  # floats
    assert row_groups_left_out(rows.join(other, left_on=col("key") + 0, right_on="key")) == 0
    assert row_groups_left_out(rows.with_columns(key=col("key") * 2).join(other, on="key")) == 0  # another column


def test_rows_that_raise_on_the_way_to_a_join_are_read(tmp_path: Path) -> None:
    other = SCANNED.lazy().filter(col("key") < 50).select("key")
    small = scanned(tmp_path).with_columns(small=col("real").cast(pl.Int8))  # 128 and more are in no Int8
    assert assert_agreement(small.join(other, on="key"), "cpu") is pl.exceptions.InvalidOperationError
    assert row_groups_left_out(small.filter(col("real") < 100).join(other, on="key")) == 0


@pytest.mark.parametrize("statistics", [True, False])
def test_unsorted_keys_keep_their_row_groups(tmp_path: Path, statistics: bool) -> None:
    SCANNED.sample(fraction=1, shuffle=True, seed=1).write_parquet(
        tmp_path / "x", row_group_size=100, statistics=statistics
    )
    rows = pl.scan_parquet(tmp_path / "x")
    assert row_groups_left_out(rows.join(SCANNED[::7].lazy().select("key"), on="key")) == 0


# Keys that are bytes, and whose text is longer than what lies in a view; the build side is longer than a tile.
WIDE_KEYS = {
    "text": pl.format("a key of some length {}", "n"),
    "text and number": pl.format("some length {}", "n"),
    "128 bits": col("n").cast(pl.Int128) * (1 << 70) * col("n").cast(pl.Int128),
}


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("keys", WIDE_KEYS)
def test_wide_keys_of_long_build_sides(device: str, how: Any, keys: str) -> None:
    numbers = pl.DataFrame({"n": range(3000)}).with_columns(k=WIDE_KEYS[keys], m=col("n") % 7)
    few = numbers.sample(500, seed=1).with_columns(j=col("n") * 2).drop("n")
    on = ["k", "m"] if keys == "text and number" else ["k"]
    for left, right in ((few, numbers), (numbers, few)):
        assert_agreement(left.lazy().join(right.lazy(), on=on, how=how), device, ordered=False)
