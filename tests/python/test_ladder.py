"""The steps by which a query is answered, from all of it on Frazil to all of it in Polars."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from polars import col
from polars.io.plugins import register_io_source

import frazil
from frazil import _frazil as core

FRAME = pl.DataFrame({"k": [1, 2, 1, 3, 2], "v": [10, 20, 30, 40, 50], "s": ["a", "b", "c", "d", None]})
ROWS = FRAME.lazy()
SUMS = ROWS.filter(col("v") > 10).group_by("k").agg(col("v").sum())
PLUS_ONE = col("v").map_batches(lambda values: values + 1, return_dtype=pl.Int64)


def report_of(engine: frazil.Engine) -> frazil.Report:
    report = engine.last_report
    assert report is not None
    return report


def kinds(engine: frazil.Engine) -> list[str]:
    return [node.node for node in report_of(engine).nodes]


PARTS: dict[str, tuple[pl.LazyFrame, list[str]]] = {
    "below a Python function": (SUMS.select("k", PLUS_ONE), ["scan_frame", "filter", "group_by"]),
    "below map_batches": (SUMS.map_batches(lambda rows: rows.sort("k")), ["scan_frame", "filter", "group_by"]),
    "one side": (
        SUMS.join(ROWS.select("k", PLUS_ONE), on="k"),
        ["scan_frame", "filter", "group_by"],
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_what_can_run_here_runs_as_parts(engine: frazil.Engine, name: str) -> None:
    query, wanted = PARTS[name]
    found = query.collect(engine=engine).sort(pl.all())
    assert found.equals(query.collect(engine="in-memory").sort(pl.all()))
    report = report_of(engine)
    assert not report.native
    assert report.polars == "in-memory"
    assert kinds(engine) == wanted
    assert report.reasons


def test_frames_alone_are_no_part(engine: frazil.Engine) -> None:
    assert ROWS.select(PLUS_ONE).collect(engine=engine)["v"].to_list() == [11, 21, 31, 41, 51]
    assert report_of(engine).polars == "streaming"
    assert report_of(engine).nodes == ()


def test_a_part_that_is_read_twice_runs_once(engine: frazil.Engine) -> None:
    query = SUMS.select("k", PLUS_ONE).join(SUMS, on="k")
    assert query.collect(engine=engine).height == 3
    assert kinds(engine).count("group_by") == 1


def test_parts_keep_flags_of_sorted_columns(engine: frazil.Engine) -> None:
    seen: list[bool] = []

    def look(rows: pl.DataFrame) -> pl.DataFrame:
        seen.append(rows["v"].flags["SORTED_DESC"])
        return rows

    SUMS.sort("v", descending=True).map_batches(look).collect(engine=engine)
    assert kinds(engine)[-1] == "sort"
    assert seen == [True]


def test_errors_of_parts_keep_their_class(engine: frazil.Engine) -> None:
    query = ROWS.filter(col("v") > 0).with_columns(col("s").cast(pl.Int64)).select(PLUS_ONE, "s")
    with pytest.raises(pl.exceptions.InvalidOperationError):
        query.collect(engine=engine)
    assert SUMS.collect(engine=engine).height == 3


def test_no_part_lies_below_a_sink(engine: frazil.Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    SUMS.select("k", PLUS_ONE).sink_parquet(path, lazy=True).collect(engine=engine)
    assert pl.read_parquet(path).height == 3
    assert report_of(engine).polars == "streaming"
    assert {reason.code for reason in report_of(engine).reasons} == {"hidden"}


def test_without_simplification_more_is_ours(strict: frazil.Engine) -> None:
    """Polars makes a function of `v * v + v` that is not ours; the second plan has none."""
    floats = pl.LazyFrame({"v": [1.0, 2.0]}).select(col("v") * col("v") + col("v"))
    assert floats.collect(engine=strict)["v"].to_list() == [2.0, 6.0]
    assert report_of(strict).native


def test_a_strict_engine_takes_no_part(strict: frazil.Engine) -> None:
    with pytest.raises(frazil.UnsupportedError):
        SUMS.select("k", PLUS_ONE).collect(engine=strict)
    assert report_of(strict).nodes == ()
    assert report_of(strict).polars == ""


def shared() -> list[pl.LazyFrame]:
    groups = ROWS.filter(col("v") > 10).group_by("k").agg(col("v").sum())
    return [groups.sort("k"), groups.filter(col("v") > 30).sort("k"), groups.select(col("v").max())]


def test_what_queries_share_runs_once(strict: frazil.Engine) -> None:
    wanted = pl.collect_all(shared(), engine="in-memory")
    for found, frame in zip(pl.collect_all(shared(), engine=strict), wanted, strict=True):
        assert found.equals(frame)
        assert found.columns == frame.columns
    assert kinds(strict).count("group_by") == 2  # with the one without keys
    assert report_of(strict).native


def test_queries_that_are_not_ours_are_left_to_polars(engine: frazil.Engine) -> None:
    queries = [SUMS.sort("k"), ROWS.select(PLUS_ONE), ROWS.select("s"), ROWS.select(s=PLUS_ONE)]
    found = pl.collect_all(queries, engine=engine)
    for frame, query in zip(found, queries, strict=True):
        assert frame.equals(query.collect(engine="in-memory"))
    assert report_of(engine).polars == "streaming"
    assert "group_by" in kinds(engine)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_no_query_of_a_refused_list_runs(strict: frazil.Engine, number: int) -> None:
    runs: list[int] = []
    counted = pl.defer(lambda: runs.append(1) or FRAME, schema=FRAME.schema)  # type: ignore[func-returns-value]
    queries = [counted.select("k"), counted.select("v")]
    queries.insert(number, ROWS.select(PLUS_ONE))
    with pytest.raises(frazil.UnsupportedError):
        pl.collect_all(queries, engine=strict)
    assert runs == []


@pytest.mark.parametrize("queries", [[], [SUMS.sort("k")], [ROWS.select("k"), ROWS.select("k")]])
def test_lists_of_any_length(strict: frazil.Engine, queries: list[pl.LazyFrame]) -> None:
    found = pl.collect_all(queries, engine=strict)
    assert [frame.columns for frame in found] == [query.collect_schema().names() for query in queries]


def test_sinks_in_a_list_are_written(engine: frazil.Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    pl.collect_all([SUMS.sink_csv(path, lazy=True), SUMS], engine=engine)
    assert pl.read_csv(path).height == 3


def source(pieces: list[pl.DataFrame], schema: pl.Schema, seen: list[Any] | None = None) -> pl.LazyFrame:
    """A source in Python that gives these pieces."""

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        if seen is not None:
            seen.append((columns, predicate is None, limit))
        for piece in pieces:
            rows = piece if limit is None else piece.head(limit)
            rows = rows if columns is None else rows.select(columns)
            yield rows if predicate is None else rows.filter(predicate)

    return register_io_source(read, schema=schema)


OVER_SOURCES: dict[str, Callable[[pl.LazyFrame], pl.LazyFrame]] = {
    "all": lambda rows: rows,
    "filter": lambda rows: rows.filter(col("v") > 10),
    "columns": lambda rows: rows.filter(col("v") > 10).select("s"),
    "head": lambda rows: rows.head(2).filter(col("v") > 10),
    "groups": lambda rows: rows.group_by("k").agg(col("v").sum()).sort("k"),
    "slices of groups": lambda rows: rows.sort("v").group_by("k", maintain_order=True).agg(pl.len()).slice(1, 1),
    "distinct rows": lambda rows: rows.unique("k", maintain_order=True),
    "rows that are alone": lambda rows: rows.unique("k", keep="none", maintain_order=True),
    "the last of equal rows": lambda rows: rows.unique("k", keep="last").sort("k"),
    "aggregates beside rows": lambda rows: rows.with_columns(most=col("v").max()),
    "join": lambda rows: rows.join(ROWS.select("k", w="v"), on="k", maintain_order="left_right").head(3),
    "left join": lambda rows: ROWS.join(rows.unique("k").select("k", w="v"), on="k", how="left").sort("v"),
    "semi join": lambda rows: ROWS.join(rows.filter(col("v") > 20), on="k", how="semi", maintain_order="left"),
    "cross join": lambda rows: rows.join(ROWS.select(w="v"), how="cross"),
    "union": lambda rows: pl.concat([ROWS, rows.filter(col("v") > 10)]),
    "sort": lambda rows: rows.sort("v", descending=True).head(2),
}


@pytest.mark.parametrize("name", OVER_SOURCES)
def test_rows_of_python_sources_are_ours_from_there_on(strict: frazil.Engine, name: str) -> None:
    seen: list[Any] = []
    query = OVER_SOURCES[name](source([FRAME], FRAME.schema, seen))
    assert query.collect(engine=strict).equals(OVER_SOURCES[name](ROWS).collect(engine="in-memory"))
    assert len(seen) == 1
    assert all(without_predicate for _, without_predicate, _ in seen)


def test_a_python_source_runs_only_with_the_query(strict: frazil.Engine) -> None:
    seen: list[Any] = []
    strict.explain(source([FRAME], FRAME.schema, seen))
    with pytest.raises(frazil.UnsupportedError):
        source([FRAME], FRAME.schema, seen).select(PLUS_ONE).collect(engine=strict)
    assert seen == []


def test_pieces_of_a_python_source(strict: frazil.Engine) -> None:
    pieces = [FRAME.head(2), FRAME.slice(2)]
    assert source(pieces, FRAME.schema).collect(engine=strict).equals(FRAME)
    assert source([], FRAME.schema).collect(engine=strict).equals(FRAME.clear())


def test_a_python_source_that_gives_other_columns_is_left_to_polars(
    engine: frazil.Engine, strict: frazil.Engine
) -> None:
    rows = source([FRAME.with_columns(col("v").cast(pl.Int32))], FRAME.schema)
    with pytest.raises(frazil.UnsupportedError, match="a source gave columns"):
        rows.collect(engine=strict)
    rows.select("k").collect(engine=engine)
    assert report_of(engine).native
    with pytest.raises(pl.exceptions.SchemaError):  # which is what Polars makes of it
        rows.collect(engine=engine)
    assert {reason.code for reason in report_of(engine).reasons} == {"run"}


def test_an_error_of_a_python_source_keeps_its_class(strict: frazil.Engine) -> None:
    class Mine(Exception):
        pass

    def fail() -> pl.DataFrame:
        raise Mine

    with pytest.raises(Mine):
        pl.defer(fail, schema=FRAME.schema).collect(engine=strict)


def test_one_warning_for_each_cause(device: str) -> None:
    engine = frazil.Engine(device=device, warn=True)
    with pytest.warns(frazil.FallbackWarning, match="hidden") as caught:
        ROWS.select(PLUS_ONE).collect(engine=engine)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ROWS.select(PLUS_ONE).collect(engine=engine)
        SUMS.collect(engine=engine)
    with pytest.warns(frazil.FallbackWarning):
        ROWS.with_columns(w=PLUS_ONE).collect(engine=engine)


def test_without_the_option_nothing_warns(engine: frazil.Engine) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ROWS.select(PLUS_ONE).collect(engine=engine)


FLAGS: dict[str, pl.LazyFrame] = {
    "frame": FRAME.sort("v").lazy(),
    "filter": FRAME.sort("v").lazy().filter(col("k") > 1),
    "renamed": FRAME.sort("v").lazy().select(w="v", x=col("k") + 1),
    "replaced": FRAME.sort("v").lazy().with_columns(v=col("k") + 0),
    "sort": ROWS.sort("k", "v", descending=[True, False]),
    "sort by what is no column": ROWS.sort(col("k") + col("v")),
    "groups": ROWS.sort("k").group_by("k").agg(pl.len()),
    "left join": FRAME.sort("v").lazy().join(ROWS.select("k", w="v"), on="k", how="left"),
    "semi join": FRAME.sort("v").lazy().join(ROWS.filter(col("v") > 20), on="k", how="semi"),
    "told": ROWS.set_sorted("v"),
}


@pytest.mark.parametrize("name", FLAGS)
def test_flags_of_sorted_columns_are_those_of_polars(strict: frazil.Engine, name: str) -> None:
    found, wanted = (FLAGS[name].collect(engine=engine).flags for engine in (strict, "in-memory"))  # type: ignore[call-overload]
    assert found == wanted


def test_beginnings_of_sorted_texts_are_sorted(engine: frazil.Engine) -> None:
    texts = FRAME.sort("s").lazy().select("s", a=col("s").str.head(1))
    slices = FRAME.sort("s").lazy().select(c=col("s").str.slice(0, 1), d=col("s").str.slice(1, 1))
    for query in (texts, slices):
        assert query.collect(engine=engine).flags == query.collect(engine="in-memory").flags


def test_what_comes_of_sorted_moments_is_sorted(strict: frazil.Engine) -> None:
    moments = pl.LazyFrame({"t": [datetime(2024, 1, 30), datetime(2024, 1, 31, 5), None, datetime(2024, 3, 1)]}).sort(
        "t"
    )
    at = col("t").dt
    query = moments.select(
        "t", day=at.date(), month=at.truncate("1mo"), later=at.offset_by("1d3h"), next=at.offset_by("1mo"), h=at.hour()
    )
    assert query.collect(engine=strict).flags == query.collect(engine="in-memory").flags
    zones = moments.select(a=at.replace_time_zone("UTC"), b=at.convert_time_zone("Asia/Tokyo"), c=at.date().dt.year())
    assert zones.collect(engine=strict).flags == zones.collect(engine="in-memory").flags


def test_sums_of_sql_are_null_for_no_rows(strict: frazil.Engine) -> None:
    table = pl.LazyFrame({"k": [1, 1, 2], "v": [1, None, None], "w": [0.5, 1.0, None]})
    for text in (
        "SELECT k, SUM(v) AS v, SUM(w) + 1 AS w FROM t GROUP BY k ORDER BY k",
        "SELECT SUM(v) AS v FROM t WHERE k = 3",
    ):
        query = pl.SQLContext(t=table).execute(text)
        assert query.collect(engine=strict).equals(query.collect(engine="in-memory"))


SLICED: dict[str, pl.LazyFrame] = {
    "left join": ROWS.join(ROWS.select("k", w="v"), on="k", how="left").slice(2, 3),
    "left join from the end": ROWS.join(ROWS.select("k", w="v"), on="k", how="left").tail(2),
    "semi join": ROWS.join(ROWS.filter(col("v") > 20), on="k", how="semi").head(2),
    "sort from the end": ROWS.sort("v", descending=True).tail(2),
    "sort in the middle, from the end": ROWS.sort("v").slice(-3, 2),
}


@pytest.mark.parametrize("name", SLICED)
def test_slices_of_what_keeps_an_order(strict: frazil.Engine, name: str) -> None:
    assert SLICED[name].collect(engine=strict).equals(SLICED[name].collect(engine="in-memory"))


@pytest.mark.parametrize(("offset", "length"), [(0, 2), (-1, None), (1, 5), (7, 1), (-9, 10)])
def test_slices_of_groups_are_some_of_them(strict: frazil.Engine, offset: int, length: int | None) -> None:
    groups = ROWS.group_by("k").agg(col("v").sum())
    all_groups = groups.collect(engine="in-memory")
    found = groups.slice(offset, length).collect(engine=strict)
    assert found.height == all_groups.slice(offset, length).height
    assert found.join(all_groups, on=["k", "v"], how="anti").height == 0


@pytest.mark.parametrize(
    "query",
    [
        SUMS.join_where(SUMS.rename({"k": "l", "v": "w"}), col("k") < col("l")).with_columns(PLUS_ONE),
        SUMS.join(ROWS.select("s").head(2), how="cross").with_columns(PLUS_ONE),
    ],
)
def test_loops_over_pairs_are_not_left_to_the_engine_that_does_not_stop(
    engine: frazil.Engine, query: pl.LazyFrame
) -> None:
    found = query.collect(engine=engine)
    assert found.sort(pl.all()).equals(query.collect(engine="in-memory").sort(pl.all()))
    assert report_of(engine).polars in ("streaming", "in-memory")
    if report_of(engine).polars == "in-memory":  # the loop is ours, and what is left is none
        assert "join" in kinds(engine)


def test_renaming_alone_is_no_part(engine: frazil.Engine) -> None:
    ROWS.rename({"v": "w"}).select(col("w").map_batches(lambda values: values, return_dtype=pl.Int64)).collect(
        engine=engine
    )
    assert report_of(engine).polars == "streaming"


def test_an_error_in_a_list_is_that_of_the_query(engine: frazil.Engine) -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match='"zz"|zz') as caught:
        pl.collect_all([SUMS, ROWS.select("zz")], engine=engine)
    assert "0:" not in str(caught.value)
    with pytest.raises(pl.exceptions.InvalidOperationError):
        pl.collect_all([SUMS, ROWS.select(col("s").cast(pl.Int64))], engine=engine)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.filterwarnings("ignore::frazil.UnstableWarning")
def test_what_only_the_data_refuse_is_run_by_polars(
    engine: frazil.Engine, strict: frazil.Engine, monkeypatch: pytest.MonkeyPatch, keep: bool
) -> None:
    """Results that the query has read by then may be read on."""

    def refuse(*_: object) -> None:
        raise core.UnsupportedError("met in the data")

    for one in (engine, strict):
        rows = [one.execute(ROWS, keep=keep).lazy().filter(col("v") > 10) for _ in range(3)]
        with monkeypatch.context() as patched:
            patched.setattr(one._ladder, "_core", SimpleNamespace(check=one._core.check, run=refuse))
            if one is strict:
                with pytest.raises(frazil.UnsupportedError, match="met in the data") as caught:
                    rows[0].collect(engine=one)
                assert caught.value.__context__ is None
                with pytest.raises(frazil.UnsupportedError, match="met in the data"):
                    pl.collect_all(rows[1:], engine=one)
                continue
            assert rows[0].collect(engine=one).height == 4
            assert [frame.height for frame in pl.collect_all(rows[1:], engine=one)] == [4, 4]
            assert {reason.code for reason in report_of(one).reasons} == {"run"}


BESIDE: dict[str, Callable[[pl.LazyFrame], pl.LazyFrame]] = {
    "a column": lambda rows: rows.with_columns(most=col("v").max()),
    "a part of an expression": lambda rows: rows.select("k", share=col("v") - col("v").min()),
    "a predicate": lambda rows: rows.filter(col("v") > col("v").mean()),
}


@pytest.mark.parametrize("name", BESIDE)
def test_aggregates_beside_rows_of_python_sources_and_of_lists(strict: frazil.Engine, name: str) -> None:
    """Sources are put into plans when these start, and what lists share is put into them when it has run."""
    beside = BESIDE[name]
    wanted = beside(ROWS).collect(engine="in-memory")
    assert beside(source([FRAME], FRAME.schema)).collect(engine=strict).equals(wanted)
    assert beside(source([FRAME], FRAME.schema)).sort("k").collect(engine=strict).height == wanted.height
    groups = ROWS.group_by("k").agg(col("v").sum())
    lists = [beside(groups).sort("k"), groups.select(col("v").sum())]
    for found, query in zip(pl.collect_all(lists, engine=strict), lists, strict=True):
        assert found.equals(query.collect(engine="in-memory"))
