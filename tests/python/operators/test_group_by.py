"""Group-by, and selections of aggregates, against Polars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from oracle import assert_agreement
from polars import col
from polars.testing import assert_frame_equal
from samples import ALL, pairs, random_rows, variants

import frazil

ROWS = random_rows(3000)
AGGREGATES = {
    "rows": pl.len(),
    "values": col("text").count(),
    "sum": col("price").sum(),
    "lowest": col("price").min(),
    "highest": col("ordinal").max(),
    "mean": col("price").mean(),
    "float": col("real").sum(),
    "real mean": col("real").mean(),
    "texts": col("text").n_unique(),
    "first text": col("text").min(),
    "missing": col("text").null_count(),
    "first": col("real").first(),
    "last": col("text").last(),
}
APPROXIMATE = ["float", "mean", "real mean"]


@pytest.mark.parametrize("keys", [["few"], ["many"], ["text"], ["few", "text"], ["text", "many", "few"], ["price"]])
@pytest.mark.parametrize("rows", [3000, 5, 1, 0])
def test_aggregates_by_keys(device: str, keys: list[str], rows: int) -> None:
    query = ROWS.head(rows).lazy().group_by(keys).agg(**AGGREGATES)
    assert_agreement(query, device, ordered=False, approximate=APPROXIMATE)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_keys_of_every_dtype(device: str, dtype: Any) -> None:
    for rows in variants(pairs(dtype)):
        assert_agreement(rows.lazy().group_by("a").agg(rows=pl.len(), values=col("b").count()), device, ordered=False)
        assert_agreement(rows.lazy().group_by("a", "b").agg(pl.len()), device, ordered=False)


@pytest.mark.parametrize("first", [-0.0, 0.0])
@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64], ids=str)
def test_zeros_are_one_key_with_the_sign_of_the_first_and_nans_are_one(device: str, first: float, dtype: Any) -> None:
    values = [first, 1.0, -first, float("nan"), None, -1.0, -float("nan"), first] * 300
    rows = pl.DataFrame({"k": values, "other": [1, 2] * 1200}, schema_overrides={"k": dtype})
    negated = (col("k") * -1).alias("l")
    if pl.thread_pool_size() > 4:
        pytest.skip("Polars shows any of the signs where many threads share the rows")
    # Of several keys Polars forgets the sign where there are many rows.
    for keys, some in ((["k"], rows), ([negated], rows), (["other", "k"], rows[:16]), ([col("k"), negated], rows[:16])):
        assert_agreement(some.lazy().group_by(keys).agg(n=pl.len()), device, ordered=False)
        assert_agreement(some.lazy().group_by(keys, maintain_order=True).agg(n=pl.len()), device)


def test_groups_that_are_only_counted(device: str) -> None:
    for keys in ([col("few") * 3], ["text", "many"]):
        query = ROWS.lazy().group_by(keys).agg(pl.len(), col("few").n_unique().alias("unused"))
        assert_agreement(query.select(pl.len()), device)


@pytest.mark.parametrize("keys", [["few"], ["many"], ["text"], ["few", "text"], ["text", "many", "few"], ["real"]])
@pytest.mark.parametrize("rows", [3000, 5, 1, 0])
def test_groups_in_the_order_of_their_first_rows(device: str, keys: list[str], rows: int) -> None:
    query = ROWS.head(rows).lazy()
    assert_agreement(query.group_by(keys, maintain_order=True).agg(**AGGREGATES), device, approximate=APPROXIMATE)
    filtered = query.filter(col("price") > 0).with_columns(more=col("ordinal") + 1)
    assert_agreement(filtered.group_by(keys, maintain_order=True).agg(col("more").max()), device)


def test_groups_of_joined_rows_in_the_order_of_their_first_rows(device: str) -> None:
    others = pl.LazyFrame({"few": [3, 1, 1, None, 0, 0], "name": ["c", "b", "b2", "n", "a", "a2"]})
    joined = ROWS.lazy().join(others, on="few", how="left", maintain_order="left_right")
    for keys in (["name"], ["name", "text"], ["many"]):
        assert_agreement(joined.group_by(keys, maintain_order=True).agg(pl.len(), col("ordinal").min()), device)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0.1, 0.2, -0.3, None], pl.Decimal(5, 2)),
        ([1, 2, 4], pl.Decimal(38, 0)),
        ([9 * 10**37, 9 * 10**37, -1], pl.Decimal(38, 0)),
        ([-1.5, -2.25, -123456789.75, None], pl.Decimal(15, 2)),
        ([2**53 - 1, -(2**53 - 1), 1], pl.Decimal(20, 0)),
    ],
    ids=str,
)
def test_means_of_decimals(device: str, values: list[Any], dtype: Any) -> None:
    """As Polars' streaming engine has them; the in-memory one sums the scaled values as floats."""
    rows = pl.DataFrame({"d": pl.Series(values).cast(dtype), "k": [1] * len(values)}).lazy()
    assert_agreement(rows.group_by("k").agg(col("d").mean()), device, approximate=["d"], oracle="streaming")
    assert_agreement(rows.select(col("d").mean()), device, approximate=["d"], oracle="streaming")


@pytest.mark.parametrize("rows", [3000, 1, 0])
def test_a_selection_of_aggregates_is_one_row(device: str, rows: int) -> None:
    assert_agreement(ROWS.head(rows).lazy().select(**AGGREGATES), device, approximate=APPROXIMATE)


def test_expressions_in_and_around_aggregates(device: str) -> None:
    doubled = (col("price") * 2).sum()
    query = (
        ROWS.lazy()
        .group_by(parity=col("few") + 1)
        .agg(a=doubled - col("price").sum(), b=pl.len() + pl.len(), c=doubled)
    )
    assert_agreement(query, device, ordered=False)
    assert_agreement(ROWS.lazy().select(a=doubled - col("price").max(), b=col("ordinal").max() - pl.len()), device)


def test_groups_of_filtered_rows_and_filtered_groups(device: str) -> None:
    grouped = ROWS.lazy().filter(col("real") > 0).group_by("many").agg(n=pl.len(), total=col("price").sum())
    assert_agreement(grouped.filter(col("n") > 1), device, ordered=False)
    assert_agreement(grouped.group_by("n").agg(pl.len(), col("total").max()), device, ordered=False)


def test_keys_without_aggregates(device: str) -> None:
    assert_agreement(ROWS.lazy().group_by("few", "text").agg(), device, ordered=False)


def test_many_groups_grow_their_table(device: str) -> None:
    rows = pl.DataFrame({"k": [n * 7919 % 100_003 for n in range(200_000)], "v": range(200_000)})
    query = rows.lazy().group_by("k").agg(col("v").sum(), n=pl.len())
    with frazil.Engine(device=device, strict=True) as engine:
        found = query.collect(engine=engine).sort("k")
    assert found.equals(query.collect().sort("k"))


def test_decimal_sums_that_need_more_than_38_digits_raise(device: str) -> None:
    rows = pl.DataFrame({"k": [1, 1, 2], "d": ["9" * 38, "1", "5"]}).with_columns(col("d").cast(pl.Decimal(38, 0)))
    assert_agreement(rows.lazy().select(col("d").sum()), device)
    assert_agreement(rows.lazy().group_by("k").agg(col("d").sum()), device, oracle="streaming")


def test_aggregates_of_filtered_rows(device: str) -> None:
    kept = col("price") > 0
    some = {
        "sum": col("price").filter(kept).sum(),
        "most": col("real").filter(col("text") == "a").max(),
        "least": col("ordinal").filter(col("few") > 100).min(),
        "values": col("text").filter(kept).count(),
        "rows": col("text").filter(kept).len(),
        "mean": col("real").filter(kept).mean(),
        "different": col("text").filter(kept).n_unique(),
        "first": col("text").filter(kept).first(),
        "last": col("ordinal").filter(col("real") > 0).last(),
        "median": col("ordinal").filter(kept).median(),
        "spread": col("real").filter(kept).std(),
    }
    floats = ["mean", "spread"]
    assert_agreement(ROWS.lazy().group_by("few").agg(**some), device, ordered=False, approximate=floats)
    assert_agreement(ROWS.lazy().group_by("many").agg(**some), device, ordered=False, approximate=floats)
    assert_agreement(ROWS.lazy().select(**some), device, approximate=floats)


def test_statistics_of_groups(device: str) -> None:
    some = {
        "var": col("ordinal").var(),
        "std": col("real").std(ddof=0),
        "median": col("price").median(),
        "quantile": col("ordinal").quantile(0.9, "linear"),
        "product": (col("few") + 1).product(),
        "any": (col("price") > 0).any(),
        "all": (col("few") > 1).all(ignore_nulls=False),
    }
    floats = ["var", "std", "median", "quantile"]
    for key in ("few", "many"):
        assert_agreement(ROWS.lazy().group_by(key).agg(**some), device, ordered=False, approximate=floats)


WHOLE = pl.DataFrame(
    {
        "k": [1, 2, 1, 3, 2, 1],
        "list": [[1], None, [], [None, 2], [3], [4, 5]],
        "struct": [{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}, {"x": 2, "y": None}, None, {"x": 3, "y": "c"}],
        "letters": pl.Series(["a", None, "b", "a", "c", "a"], dtype=pl.Categorical),
        "pair": pl.Series([[1, 2], None, [3, 4], [5, None], [7, 8], [9, 0]], dtype=pl.Array(pl.Int8, 2)),
        "half": pl.Series([1.5, None, -0.0, 2.0, 3.0, 4.0], dtype=pl.Float16),
        "nothing": pl.Series([None] * 6, dtype=pl.Null),
    }
)


@pytest.mark.parametrize("name", [name for name in WHOLE.columns if name != "k"])
def test_aggregates_that_give_whole_values_take_every_dtype(device: str, name: str) -> None:
    values = col(name)
    aggregates = {"f": values.first(), "l": values.last(), "n": values.first(ignore_nulls=True), "i": values.implode()}
    for rows in (WHOLE, WHOLE.clear(), pl.concat([WHOLE] * 500)):
        assert_agreement(rows.lazy().group_by("k").agg(**aggregates), device, ordered=False)
        assert_agreement(rows.lazy().group_by("k").agg(values, n=pl.len()), device, ordered=False)
        assert_agreement(rows.lazy().select(**aggregates), device)
        assert_agreement(rows.lazy().unique("k", maintain_order=True, keep="last"), device)


def test_lists_of_the_values_of_groups(device: str) -> None:
    for rows in (3000, 5, 0):
        lists = {"all": col("text"), "some": col("price").filter(col("real") > 0), "sum": col("ordinal").sum()}
        assert_agreement(ROWS.head(rows).lazy().group_by("few").agg(**lists), device, ordered=False)


def test_a_slice_of_groups(device: str) -> None:
    grouped = ROWS.lazy().group_by("many", maintain_order=True).agg(pl.len())
    assert_agreement(grouped.slice(3, 5), device)
    assert_agreement(grouped.tail(4), device)


@pytest.mark.parametrize("keep", ["any", "first", "last", "none"])
@pytest.mark.parametrize("subset", [None, ["few"], ["few", "text"], ["many"], ["price", "real"]])
def test_distinct_rows(device: str, keep: Any, subset: Any) -> None:
    for rows in (ROWS.lazy(), ROWS.lazy().head(0), pl.concat([ROWS, ROWS]).lazy()):
        assert_agreement(rows.unique(subset, keep=keep, maintain_order=True), device)
    unordered = ROWS.lazy().select("few", "text").unique(keep=keep)
    assert_agreement(unordered, device, ordered=False)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_distinct_values_of_every_dtype(device: str, dtype: Any) -> None:
    for rows in variants(pairs(dtype)):
        assert_agreement(rows.lazy().unique("a", keep="first", maintain_order=True), device)
        assert_agreement(rows.lazy().unique("a", keep="last"), device, ordered=False)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (ROWS.lazy().group_by("few").agg(pl.col("price").mode()), "function"),
        (ROWS.lazy().group_by("few").agg(pl.col("price").reverse()), "function"),
    ],
)
def test_what_is_refused_says_why(strict: frazil.Engine, query: pl.LazyFrame, code: str) -> None:
    with pytest.raises(frazil.UnsupportedError) as caught:
        query.collect(engine=strict)
    assert code in {reason.code for reason in caught.value.reasons}


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("nulls", [False, True])
def test_keys_of_a_dense_range_are_places_of_arrays(real: bool, nulls: bool) -> None:
    """Where there are far more rows than possible keys; sums of floats have more lanes."""
    rows = 1_200_000 if real else 300_000
    number = pl.int_range(rows, dtype=pl.Int64)
    key = number * 7919 % 5_000 - 2_000
    frame = pl.select(k=pl.when(key % 11 != 0).then(key) if nulls else key, v=number % 1001, r=(number % 77) / 8)
    aggregates = [pl.len(), col("v").sum(), col("v").max().alias("most"), col("v").first().alias("first")]
    query = frame.lazy().filter(col("v") != 5).group_by("k").agg(aggregates + [col("r").mean()] * real)
    for threads in (1, 4):
        with frazil.Engine(device="cpu", strict=True, threads=threads) as engine:
            assert "groups" not in str(engine.explain(query, program=True))
            assert_frame_equal(query.collect(engine=engine).sort("k"), query.collect(engine="in-memory").sort("k"))
            few = frame.lazy().head(20_000).group_by("k").agg(aggregates)
            assert "groups" in str(engine.explain(few, program=True))


def test_keys_of_128_bits_without_known_bounds(device: str, tmp_path: Path) -> None:
    wide = pl.DataFrame({"x": [n * 1_000_003 % 10**9 for n in range(3000)], "g": [n % 10 for n in range(3000)]})
    wide.with_columns(col("x").cast(pl.Decimal(38, 2))).write_parquet(tmp_path / "a", statistics=False)
    scan = pl.scan_parquet(tmp_path / "a")
    square = pl.LazyFrame({"x": pl.Series([2**60, 2, 3] * 500, dtype=pl.Int128), "g": range(1500)})
    for rows in (scan, square.with_columns(col("x") * col("x") + col("x"))):
        groups = rows.group_by("x").agg(col("g").sum())
        assert_agreement(groups.group_by("x").agg(pl.len()), device, ordered=False)
        assert_agreement(groups.select(col("x").max(), low=col("x").min()), device)
        assert_agreement(rows.unique("x").join(groups, on="x").select(pl.len()), device)
        assert_agreement(groups.join(rows, on="x", how="anti"), device, ordered=False)


def test_decimal_sums_of_38_digits(device: str) -> None:
    for values in (
        ["9" * 36 + ".99", "-1"],
        ["5" + "0" * 35] * 2 + ["-1"],
        ["9" * 36 + ".99"],
        ["9" * 36 + ".99", "1"],
    ):
        rows = pl.LazyFrame({"k": pl.Series(values).cast(pl.Decimal(38, 2))})
        assert_agreement(rows.select(col("k").sum()), device)
