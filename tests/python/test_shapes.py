"""What functions of each shape give, wherever an operator reads it: text made in a batch must outlive it there."""

from __future__ import annotations

import polars as pl
import pytest
from oracle import assert_agreement, engines
from polars import col
from samples import LONG, interesting, pairs, variants, with_nulls

import frazil

TEXTS = interesting(pl.String)
TEXT = pl.DataFrame(
    {
        "a": [text for text in TEXTS for _ in TEXTS],
        "b": TEXTS * len(TEXTS),
        "n": pl.Series(range(len(TEXTS) ** 2), dtype=pl.Int64) % 11 - 5,
    }
)
JOINED = pl.concat_str("a", pl.lit("-"), "b", ignore_nulls=True)  # never null
NUMBERED = pl.concat_str("a", col("n").cast(pl.String), separator=LONG)
FIRST = col("a").str.head(2)


def frames() -> list[pl.DataFrame]:
    """Frames of text, and one whose rows fill several tiles."""
    many = pl.concat([TEXT] * 30).with_columns(n=pl.int_range(30 * TEXT.height) % 700)
    return [*variants(TEXT), with_nulls(many)]


FRAMES = frames()


@pytest.mark.parametrize("rows", FRAMES, ids=range(len(FRAMES)))
class TestTextThatFunctionsMake:
    """Views into arguments, and text of lanes' memory."""

    def test_in_filters(self, device: str, rows: pl.DataFrame) -> None:
        for predicate in (FIRST == "a", JOINED > "a-b", NUMBERED.str.head(4) != JOINED.str.head(4)):
            assert_agreement(rows.lazy().filter(predicate, col("n") > -3), device)

    def test_behind_filters(self, device: str, rows: pl.DataFrame) -> None:
        kept = rows.lazy().filter(col("n") > 2)
        assert_agreement(kept.select("b", x=NUMBERED, y=(JOINED + "!").str.head(-1), z=FIRST), device)

    def test_as_group_keys(self, device: str, rows: pl.DataFrame) -> None:
        counted = [pl.len(), col("n").sum()]
        assert_agreement(rows.lazy().group_by(x=NUMBERED).agg(counted), device, ordered=False)
        assert_agreement(rows.lazy().group_by(x=FIRST, y=col("n").cast(pl.String)).agg(counted), device, ordered=False)

    def test_as_join_keys(self, device: str, rows: pl.DataFrame) -> None:
        right = rows.lazy().select(x=NUMBERED, y="b").head(50)
        for how in ("inner", "left", "semi", "anti"):
            query = rows.lazy().select("n", x=NUMBERED).join(right, on="x", how=how)
            assert_agreement(query, device, ordered=False)

    def test_over_joined_rows(self, device: str, rows: pl.DataFrame) -> None:
        pair = rows.lazy().head(40).join(rows.lazy().select(FIRST.alias("first"), "n").head(40), on="n", how="left")
        assert_agreement(pair.select("n", x=pl.concat_str("first", JOINED, separator=" of ")), device, ordered=False)

    def test_as_sort_keys(self, device: str, rows: pl.DataFrame) -> None:
        assert_agreement(rows.lazy().sort(JOINED, NUMBERED, "n", maintain_order=True), device)
        assert_agreement(rows.lazy().with_columns(x=NUMBERED).sort("x", descending=True, maintain_order=True), device)


GROUPED = pl.concat([TEXT] * 9).with_columns(
    few=pl.int_range(9 * TEXT.height) % 5, many=pl.int_range(9 * TEXT.height) % 900
)
DISTINCT = {
    "texts": col("a").n_unique(),
    "numbers": col("n").n_unique(),
    "made": NUMBERED.n_unique(),
    "truths": (col("n") > 0).n_unique(),
    "beside": col("a").n_unique() + pl.len(),
    "sum": col("n").sum(),
    "highest": col("many").max(),
}


@pytest.mark.parametrize("keys", [[], ["few"], ["many"], ["a"], ["few", "many", "b"]], ids=str)
def test_segmented_aggregates_beside_others(device: str, keys: list[str]) -> None:
    for rows in (GROUPED, with_nulls(GROUPED), GROUPED.clear(), GROUPED.filter(col("n") == 2)):
        for query in (rows.lazy(), rows.lazy().filter(col("n") > 1)):
            grouped = query.group_by(keys).agg(**DISTINCT) if keys else query.select(**DISTINCT)
            assert_agreement(grouped, device, ordered=False)


def test_segmented_aggregates_alone(device: str) -> None:
    assert_agreement(GROUPED.lazy().group_by("many").agg(col("a").n_unique()), device, ordered=False)
    many = GROUPED.lazy().group_by("a").agg(col("many").n_unique()).filter(col("many") > 10)
    assert_agreement(many.group_by("many").agg(pl.len(), col("a").n_unique()), device, ordered=False)


def test_distinct_floats(device: str) -> None:
    zeros = pl.DataFrame({"x": [0.0, -0.0, float("nan"), -float("nan"), None, None, 1.5] * 3, "k": [1, 2, 3] * 7})
    for dtype in (pl.Float32, pl.Float64):
        rows = zeros.cast({"x": dtype}).lazy()
        assert_agreement(rows.select(col("x").n_unique()), device)
        assert_agreement(rows.group_by("k").agg(col("x").n_unique()), device, ordered=False)


def test_memory_is_given_back(device: str) -> None:
    long = pl.DataFrame({"a": [LONG * 50] * 5000, "n": range(5000)}).lazy()
    assert_agreement(long.select(x=NUMBERED.str.head(2200).n_unique(), y=pl.len()), device)
    assert_agreement(long.select(x=NUMBERED), device)
    assert all(engine.bytes_in_use == 0 for engine in engines(device))


def test_text_is_charged_to_the_engine() -> None:
    long = pl.DataFrame({"a": [LONG * 1000] * 1000}).lazy().select(x=(col("a") + col("a")) == "a")
    with (
        frazil.Engine(device="cpu", strict=True, memory_limit=1 << 20) as small,
        pytest.raises(frazil.OutOfMemoryError),
    ):
        long.collect(engine=small)


@pytest.mark.parametrize(
    "expression",
    [
        col("a").str.head(pl.lit(1, pl.UInt64)),
        col("n").cast(pl.UInt128).cast(pl.String),
        pl.struct("a", "b").n_unique(),
    ],
)
def test_what_the_shapes_do_not_take_is_refused(strict: frazil.Engine, expression: pl.Expr) -> None:
    with pytest.raises(frazil.UnsupportedError):
        TEXT.lazy().select(expression).collect(engine=strict)


def test_pairs_of_long_texts(device: str) -> None:
    rows = pairs(pl.String).with_columns(a=col("a") + LONG * 300)
    assert_agreement(rows.lazy().select(x=pl.concat_str("a", "b", separator=LONG), y=col("a").str.head(11_000)), device)
