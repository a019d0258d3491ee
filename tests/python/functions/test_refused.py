"""What functions do not take."""

from __future__ import annotations

import polars as pl
import pytest
from polars import col

import frazil


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        (col("a").cast(pl.Categorical), "signature"),
        (col("t").str.contains(r"\b"), "signature"),
        (col("t").str.contains("[a&&b]"), "signature"),
        (col("t").str.contains("(?x) a"), "signature"),
        (col("t").str.contains("a{1001}"), "signature"),
        (col("t").str.contains("[[a]b]"), "signature"),
        (col("t").str.contains("(a"), "signature"),
        (col("t").str.contains(col("t")), "signature"),
        (col("z").dt.hour(), "signature"),
        (col("t").str.replace("a", "$0"), "signature"),
        (col("t").str.slice(0, -1), "signature"),
        (col("t").str.replace("a.", "b"), "signature"),
        (col("t").str.replace("a", col("t"), literal=True), "signature"),
        (col("a").cast(pl.Float64).round(310), "signature"),
        (col("a") ** col("a"), "signature"),
    ],
)
def test_what_is_refused_says_why(strict: frazil.Engine, expression: pl.Expr, code: str) -> None:
    zoned = pl.Series("z", [0, 1, 2]).cast(pl.Datetime("us", "Europe/Berlin"))
    rows = pl.DataFrame([pl.Series("a", [1, 2, 3]), pl.Series("t", ["a", "b", "c"]), zoned])
    with pytest.raises(frazil.UnsupportedError) as caught:
        rows.lazy().select(expression).collect(engine=strict)
    assert {reason.code for reason in caught.value.reasons} <= {code, "dtype"}
