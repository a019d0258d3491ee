"""Random plans over random tables: a query gives what it gives on Polars, or is refused, which must be rare."""

from __future__ import annotations

import gc
import operator
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from oracle import Outcome, assert_agreement, differ, engines, outcome
from polars import col
from samples import ALL, TIMES, interesting, series

import frazil

set_hypothesis_home_dir(tempfile.gettempdir())  # what it notes is nobody's

T = TypeVar("T")
EXAMPLES = 100  # of each test: as many as the suite has time for
MOST = 0.6  # of all examples must run here

# Files that Polars writes have their moments in UTC, and no place for the others.
STORED = [dtype for dtype in ALL if dtype not in (pl.Int128, pl.Time, pl.Duration, pl.Datetime("ms", "Europe/Berlin"))]
WIDER: dict[Any, list[Any]] = {
    pl.Int8: [pl.Int16, pl.Int64, pl.Float64, pl.Int128, pl.String, pl.Decimal(38, 2)],
    pl.Int16: [pl.Int32, pl.Int64, pl.Float32, pl.String],
    pl.Int32: [pl.Int64, pl.Float64, pl.Int128, pl.String, pl.Decimal(38, 3)],
    pl.Int64: [pl.Int128, pl.Float64, pl.String, pl.Decimal(38, 0)],
    pl.UInt8: [pl.UInt32, pl.Int64, pl.UInt64, pl.Float32, pl.String],
    pl.UInt16: [pl.UInt64, pl.Int64, pl.Float64, pl.String],
    pl.UInt32: [pl.UInt64, pl.Int64, pl.Int128, pl.String],
    pl.UInt64: [pl.Int128, pl.Float64, pl.String],
    pl.Float32: [pl.Float64],
}


class Choices:
    """What hypothesis draws."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw

    def of(self, values: Sequence[T]) -> T:
        value: T = self.draw(st.sampled_from(values))
        return value

    def number(self, low: int, high: int) -> int:
        value: int = self.draw(st.integers(low, high))
        return value

    def once_in(self, times: int) -> bool:
        return self.number(1, times) == times


@dataclass(frozen=True)
class Query:
    """A query, and what is known of its rows."""

    rows: pl.LazyFrame
    ordered: bool = True  # Polars promises the order of rows
    approximate: frozenset[str] = frozenset()  # float columns that depend on the order of addition

    def columns(self, fits: Callable[[Any], bool] = lambda _: True) -> list[str]:
        schema = self.rows.collect_schema()
        return [name for name, dtype in schema.items() if fits(dtype) and name not in self.approximate]

    def dtype(self, expression: pl.Expr) -> Any:
        return self.rows.select(x=expression).collect_schema()["x"]


def tame(dtype: Any, random: Random) -> Any:
    """A float whose sums are the same in any order but for rounding."""
    return random.choice([0.0, 0.5, 1.5, 0.25, 3.0, 1000.0]) if dtype.is_float() else None


def table(c: Choices, prefix: str, most: int = 300, among: Sequence[Any] = ALL) -> pl.DataFrame:
    """A table of some chunks, some of them slices, whose first column numbers the rows."""
    random = Random(c.number(0, 2**32 - 1))
    dtypes = [c.of(among) for _ in range(c.number(2, 6))]
    chunks = [c.of([0, 1, 2, 7, 64, most]) for _ in range(c.number(1, 3))]
    nulls = [c.of([0.0, 0.1, 0.5, 1.0]) if c.once_in(2) else 0.0 for _ in dtypes]
    few = c.once_in(2)
    frames = []
    for rows in chunks:
        extra = random.choice([0, 0, 3])
        columns = [pl.Series(f"{prefix}id", range(rows + extra), pl.Int32)]
        for number, (dtype, share) in enumerate(zip(dtypes, nulls, strict=True)):
            values = interesting(dtype)
            if few:
                values = values[: random.randint(1, 4)]
            cells = [None if random.random() < share else random.choice(values) for _ in range(rows + extra)]
            columns.append(series(f"{prefix}{number}", cells, dtype))
        for dtype in (pl.Float64, pl.Float32):
            cells = [tame(dtype(), random) for _ in range(rows + extra)]
            columns.append(series(f"{prefix}tame{str(dtype)[-2:]}", cells, dtype))
        small = [random.choice([None, 0, 1, 2, 3]) for _ in range(rows + extra)]
        columns.append(pl.Series(f"{prefix}key", small, pl.Int64))
        frames.append(pl.DataFrame(columns)[extra // 2 : extra // 2 + rows])
    return pl.concat(frames, rechunk=False)


def literal(c: Choices, dtype: Any) -> pl.Expr:
    values = [value for value in interesting(dtype) if dtype != pl.Time]
    return pl.lit(c.of(values), dtype)


def leaf(c: Choices, query: Query, fits: Callable[[Any], bool]) -> pl.Expr | None:
    names = query.columns(fits)
    return col(c.of(names)) if names else None


def value(c: Choices, query: Query, depth: int, fits: Callable[[Any], bool] = lambda _: True) -> pl.Expr | None:
    """An expression of a value."""
    first = leaf(c, query, fits)
    if first is None or depth == 0:
        return first
    if c.once_in(4):
        first = value(c, query, depth - 1, fits)
        assert first is not None
    dtype = query.dtype(first)
    second = beside(c, query, dtype, depth - 1)
    forms: list[Callable[[], pl.Expr | None]] = [lambda: first]
    condition = truth(c, query, depth - 1)
    forms.append(lambda: pl.when(condition).then(first).otherwise(second))
    if dtype.is_numeric():
        forms += [lambda: first + second, lambda: first - second, lambda: first * second]
        if dtype.is_float():
            forms.append(lambda: first / second)
        if dtype.base_type() in WIDER:
            forms.append(lambda: first.cast(c.of(WIDER[dtype.base_type()])))
    if dtype == pl.String:
        forms += [
            lambda: pl.concat_str(first, second, separator=c.of(["", "-"]), ignore_nulls=c.once_in(2)),
            lambda: first.str.head(c.number(-3, 5)),
            lambda: first + second,
        ]
    if dtype == pl.Boolean:
        forms.append(lambda: condition)
    return c.of(forms)()


def beside(c: Choices, query: Query, dtype: Any, depth: int) -> pl.Expr:
    """A column or literal of the same dtype, seldom of another that is like it."""
    alike: Callable[[Any], bool] = lambda other: other == dtype  # noqa: E731
    if c.once_in(8) and dtype.is_numeric():
        alike = lambda other: other.is_numeric() and other.is_decimal() == dtype.is_decimal()  # noqa: E731
    names = query.columns(alike)
    if names and (dtype == pl.Time or not c.once_in(3)):
        return col(c.of(names))
    return pl.lit(None, dtype) if dtype == pl.Time or c.once_in(40) else literal(c, dtype)


def truth(c: Choices, query: Query, depth: int) -> pl.Expr:
    """A predicate."""
    if depth > 0 and c.once_in(2):
        sides = [truth(c, query, depth - 1) for _ in range(2)]
        return c.of([lambda: sides[0] & sides[1], lambda: sides[0] | sides[1], lambda: ~sides[0]])()
    first = value(c, query, max(depth - 1, 0))
    if first is None:
        return pl.lit(True)
    dtype = query.dtype(first)
    second = beside(c, query, dtype, 0)
    forms: list[Callable[[], pl.Expr]] = [
        lambda: first == second,
        lambda: first != second,
        lambda: first < second,
        lambda: first <= second,
        lambda: second > first,
        lambda: second >= first,
        first.is_null,
        first.is_not_null,
        lambda: first.is_between(second, beside(c, query, dtype, 0), closed=c.of(["both", "left", "right", "none"])),
    ]
    if not (dtype.base_type() in (pl.Boolean, pl.Time, pl.UInt64, pl.Int128, pl.Duration) or "Berlin" in str(dtype)):
        some = interesting(dtype)
        forms.append(lambda: first.is_in(some[: c.number(1, len(some))]))
    return c.of(forms)()


def filtered(c: Choices, query: Query) -> Query:
    return replace(query, rows=query.rows.filter(*[truth(c, query, 2) for _ in range(c.number(1, 2))]))


def projected(c: Choices, query: Query) -> Query:
    names = query.columns()
    new = {}
    for number in range(c.number(1, 3)):
        expression = value(c, query, 2) if c.once_in(2) else truth(c, query, 2)
        if expression is not None:
            taken = [] if query.approximate else names[:2]  # other columns tell the rows apart
            new[c.of([f"x{number}", *taken])] = expression
    if query.approximate or c.once_in(2):
        return replace(query, rows=query.rows.with_columns(**new))
    kept = [name for name in names if name not in new and not c.once_in(4)]
    return replace(query, rows=query.rows.select(*kept, **new))


def sliced(c: Choices, query: Query) -> Query:
    if not query.ordered:
        return query
    form = c.of(["head", "tail", "slice"])
    length = c.of([0, 1, 5, 70, 1000])
    if form == "slice":
        return replace(query, rows=query.rows.slice(c.of([0, 1, 3, 65, 500, -1, -5, -70]), c.of([length, None])))
    return replace(query, rows=getattr(query.rows, form)(length))


def sorted_rows(c: Choices, query: Query) -> Query:
    names = query.columns()
    if not names:
        return query
    keys = [c.of(names) for _ in range(c.number(1, 3))]
    by: list[Any] = list(dict.fromkeys(keys))
    stable = query.ordered and not c.once_in(3)
    rows = query.rows.sort(
        by,
        descending=[c.once_in(2) for _ in by],
        nulls_last=[c.once_in(2) for _ in by],
        maintain_order=stable,
    )
    return replace(query, rows=rows, ordered=stable)


def aggregates(c: Choices, query: Query) -> tuple[dict[str, pl.Expr], frozenset[str]]:
    found: dict[str, pl.Expr] = {}
    approximate = set()
    for number in range(c.number(1, 4)):
        name = f"g{number}"
        form = c.of(["sum", "mean", "min", "max", "count", "len", "n_unique"])
        if form == "len":
            found[name] = pl.len()
            continue
        if form in ("sum", "mean"):
            floats = [n for n in query.columns(lambda d: d.is_float()) if "tame" in n]
            if floats and c.once_in(2):
                of = col(c.of(floats))
                of = c.of([of, of * 2.0, of + 1.5, pl.when(truth(c, query, 1)).then(of)])
            else:
                fits = lambda d: d.is_integer() and d not in (pl.Int64, pl.UInt64, pl.Int128)  # noqa: E731
                if form == "sum":
                    fits = lambda d: d.is_integer() or d.is_decimal() or d == pl.Boolean  # noqa: E731
                inner = value(c, query, 1, fits)
                if inner is None:
                    continue
                of = inner
                if query.dtype(of).is_float() or not (query.dtype(of).is_numeric() or query.dtype(of) == pl.Boolean):
                    continue
                if form == "mean" and not fits(query.dtype(of)):
                    continue
        else:
            fits = lambda d: d.is_numeric() or d in TIMES  # noqa: E731
            inner = value(c, query, 1, fits) if form in ("min", "max") else value(c, query, 1)
            if inner is None or (form in ("min", "max") and not fits(query.dtype(inner))):
                continue
            of = inner
        found[name] = getattr(of, form)()
        dtype = query.dtype(found[name])
        if dtype.is_float():
            approximate.add(name)
        elif dtype.is_integer() and c.once_in(4):
            found[name] = c.of([found[name] + 1, found[name] * found[name], found[name] - pl.len()])
    return found, frozenset(approximate)


def grouped(c: Choices, query: Query) -> Query:
    found, approximate = aggregates(c, query)
    if not found:
        return query
    if c.once_in(5):
        return Query(query.rows.select(**found), True, approximate)
    names = query.columns()
    if not names:
        return query
    keys: dict[str, pl.Expr] = {}
    for _ in range(c.number(1, 2)):
        name = c.of(names)
        expression = value(c, query, 1) if c.once_in(4) else col(name)
        keys[name] = col(name) if expression is None else expression
        if query.dtype(keys[name]).is_float():
            zero = pl.lit(0.0, query.dtype(keys[name]))  # of -0.0 and 0.0 any may stand for both
            keys[name] = pl.when(keys[name] == zero).then(zero).otherwise(keys[name])
    return Query(query.rows.group_by(**keys).agg(**found), False, approximate)


def joined(c: Choices, query: Query) -> Query:
    right = table(c, "b", 40)
    if c.once_in(3):  # names that both sides have
        right = right.rename({"b0": "a0"} if c.once_in(2) else {"bid": "aid"})
    side = Query(right.lazy())
    if c.once_in(3):
        side = filtered(c, side)
    pairs_of_keys = []
    names = query.columns()
    if not names:
        return query
    schema = query.rows.collect_schema()
    for _ in range(c.number(1, 2)):
        left = c.of([*names, *[n for n in ("akey", "aid") if n in names]])
        same = side.columns(lambda d, wanted=schema[left]: d == wanted)  # type: ignore[misc]
        like = side.columns(lambda d, wanted=schema[left]: d.is_numeric() and wanted.is_numeric())  # type: ignore[misc]
        candidates = like if c.once_in(6) else same
        if candidates:
            pairs_of_keys.append((left, c.of(candidates)))
    if not pairs_of_keys:
        return query
    lefts, rights = [a for a, _ in pairs_of_keys], [b for _, b in pairs_of_keys]
    if len(set(lefts)) < len(lefts) or len(set(rights)) < len(rights):
        lefts, rights = lefts[:1], rights[:1]
    how: Any = c.of(["inner", "left", "semi", "anti"])
    rows = query.rows.join(
        side.rows,
        left_on=lefts,
        right_on=rights,
        how=how,
        nulls_equal=c.once_in(2),
        suffix=c.of(["_right", "_other"]),
    )
    return replace(query, rows=rows, ordered=False)


STEPS: list[Callable[[Choices, Query], Query]] = [filtered, projected, sliced, sorted_rows, grouped, joined]


def steps(c: Choices, query: Query, most: int = 4) -> Query:
    for _ in range(c.number(1, most)):
        step = c.of(STEPS)
        try:
            query = step(c, query)
            query.rows.collect_schema()
        except (pl.exceptions.PolarsError, TypeError):  # a wrong query: it must be wrong for both
            break
    return query


@st.composite
def queries(draw: Any, folder: Path | None = None) -> Query:
    """A plan over a frame, or over a file in the folder."""
    c = Choices(draw)
    if folder is None:
        return steps(c, Query(table(c, "a").lazy()))
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    table(c, "a", among=STORED).write_parquet(
        path, row_group_size=c.of([10, 64, 100]), data_page_size=c.of([100, 10_000]), statistics=c.once_in(2)
    )
    return steps(c, Query(pl.scan_parquet(path)))


def expected_of(query: Query) -> Outcome:
    """What Polars gives. Its in-memory engine raises for a few queries that are right."""
    expected = outcome(query.rows, pl.InMemoryEngine())
    return expected if isinstance(expected, pl.DataFrame) else outcome(query.rows, pl.StreamingEngine())


def assert_same(query: Query, actual: Outcome, expected: Outcome, what: object) -> None:
    difference = differ(actual, expected, ordered=query.ordered, approximate=query.approximate)
    assert difference is None, f"{what}: {difference}\nFrazil: {actual}\nPolars: {expected}\n{query.rows.explain()}"


def agrees(query: Query, device: str, counts: Counter[str]) -> None:
    """Compare the query on every engine, and count whether it ran."""
    expected = expected_of(query)
    for engine in engines(device):
        try:
            actual = outcome(query.rows, engine)
        except frazil.UnsupportedError as error:
            counts["refused"] += 1
            counts.update(f"{reason.code}: {reason.message}" for reason in error.reasons)
            return
        assert_same(query, actual, expected, engine)
    counts["native"] += 1


def fits_or_raises(query: Query, device: str, counts: Counter[str]) -> None:
    """Whatever the limit, the answer is right or memory runs out, and nothing is held afterwards."""
    expected = expected_of(query)
    for exponent in (10, 14, 18, 24):
        engine = frazil.Engine(device=device, strict=True, memory_limit=2**exponent, threads=2)
        try:
            actual = outcome(query.rows, engine)
        except frazil.UnsupportedError:
            counts["refused"] += 1
            return
        if actual is not frazil.OutOfMemoryError:
            assert_same(query, actual, expected, engine)
            counts["fits"] += 1
        else:
            counts["out of memory"] += 1
        del actual
        gc.collect()
        assert engine.bytes_in_use == 0
    counts["native"] += 1


def run(
    strategy: st.SearchStrategy[Query], check: Callable[[Query, str, Counter[str]], None], device: str, examples: int
) -> Counter[str]:
    """Check examples; most of them must not be refused."""
    counts: Counter[str] = Counter()

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def each(query: Query) -> None:
        check(query, device, counts)

    each()
    assert counts["native"] >= MOST * (counts["native"] + counts["refused"]), counts
    return counts


def test_plans_over_frames(device: str) -> None:
    run(queries(), agrees, device, EXAMPLES)


def test_plans_over_files(device: str, tmp_path: Path) -> None:
    run(queries(tmp_path), agrees, device, EXAMPLES)


def test_plans_under_limits_of_memory(device: str) -> None:
    counts = run(queries(), fits_or_raises, device, EXAMPLES // 10)
    assert counts["fits"] > 0
    assert counts["out of memory"] > 0


# What random plans have found.

REALS = [0.0, -0.0, 1.5, -7.25, 1e300, 5e-324, float("inf"), float("nan"), None, *map(float, range(1, 50))]


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32])
@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, -1.0, 3.0, 49.0, 0.1, 1e-40, float("inf")])
def test_floats_beside_literals(device: str, dtype: Any, number: float) -> None:
    """Polars divides by a literal as it multiplies with its reciprocal, and a literal zero adds nothing to -0.0."""
    rows = pl.LazyFrame({"x": pl.Series(REALS, dtype=dtype, strict=False)})
    other = pl.lit(number, dtype)
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv):
        assert_agreement(rows.select(x=operation(col("x"), other), y=operation(other, col("x"))), device)
        assert_agreement(rows.select(x=operation(col("x").max(), other)), device)


def test_a_few_rows_out_of_many_keep_the_sign_of_zero(device: str) -> None:
    rows = pl.LazyFrame({"k": range(100), "x": pl.Series([0.1, -0.0] * 50, dtype=pl.Float32)})
    assert_agreement(rows.filter(col("k") == 7).select(x=col("x") + col("x"), y=col("x") * 2), device)


@pytest.mark.parametrize("dtype", [pl.Int32, pl.Int64, pl.Int128, pl.UInt64, pl.Decimal(38, 0)])
@pytest.mark.parametrize("nulls_equal", [False, True])
def test_join_keys_of_one_side_that_wrap_to_those_of_the_other(device: str, dtype: Any, nulls_equal: bool) -> None:
    """In fewer bits the lowest numbers look like the smallest ones."""
    few = pl.DataFrame({"a": 3, "b": pl.Series([0, 1, 2, None], dtype=dtype)})
    wide = 38 if dtype == pl.Decimal else 0
    low = -(10**37) if wide else interesting(dtype)[0]
    high = 10**37 if wide else interesting(dtype)[-1]
    for values in ([low, high], [low + 1], [high - 1, 1], [None, low + 2], [low, None, 2]):
        many = pl.DataFrame({"a": 3, "b": pl.Series(values, dtype=dtype), "c": 1})
        for left, right in ((few, many), (many, few)):
            for how in ("inner", "left", "semi", "anti"):
                for on in (["a", "b"], ["b"]):
                    query = left.lazy().join(right.lazy(), on=on, how=how, nulls_equal=nulls_equal)
                    assert_agreement(query, device, ordered=False)


def test_decimal_products_of_more_than_128_bits(device: str) -> None:
    digits = ["999999999960000000000.4", "-999999999960000000000.45", "0.05", "1", "1" + "0" * 17, "-0.15", None]
    for scale in (0, 1, 2, 6, 18):
        for value in digits:
            texts = pl.DataFrame({"a": [value] * len(digits), "b": digits}, schema={"a": pl.String, "b": pl.String})
            both = texts.select(pl.all().cast(pl.Decimal(38, scale), strict=False))
            for row in range(len(digits)):
                assert_agreement(both[row : row + 1].lazy().select(x=col("a") * col("b")), device)


def test_plans_that_contradict_themselves_are_refused(strict: frazil.Engine) -> None:
    """Polars moves `b` behind the new `a`, whose dtype is not the one that it has promised for `b`."""
    rows = pl.LazyFrame({"a": ["x", "y"], "c": [1, 2]}).with_columns(b=col("c") > 1)
    query = rows.with_columns(b="a", a=col("c") > 1, c=pl.when("b").then("c").otherwise(7))
    with pytest.raises(frazil.UnsupportedError, match="contradict"):
        query.collect(engine=strict)


def test_a_column_may_change_its_dtype(device: str) -> None:
    """Polars' plan then has wrong dtypes inside, and a right result."""
    rows = pl.LazyFrame({"a": [1, 2], "b": ["x", "y"]})
    changed = rows.with_columns(c=col("a") - 1).with_columns(a=col("b") == "x")
    assert_agreement(changed, device)
    assert_agreement(changed.sort("c", maintain_order=True).select("c", "a"), device)


@pytest.mark.parametrize("how", ["inner", "left"])
def test_a_batch_that_a_join_multiplies(device: str, how: Any) -> None:
    """It goes on in pieces, whose rows keep their order."""
    left = pl.LazyFrame({"k": [row % 3 for row in range(600)], "v": range(600)})
    right = pl.LazyFrame(
        {"k": [0, 1] * 300, "w": range(600), "t": [f"a long text, number {row}" for row in range(600)]}
    )
    pairs = left.join(right, on="k", how=how)
    assert_agreement(pairs.select(pl.len(), col("w").sum(), n=col("t").n_unique()), device)
    few = left.head(20).join(right, on="k", how=how).join(right.head(50).select("k", more="w"), on="k", how=how)
    counts = few.group_by("v").agg(pl.len(), col("more").sum(), n=col("w").n_unique())
    assert_agreement(counts, device, ordered=False)
    expected = pairs.collect(engine="in-memory").sort("v", "w")
    with frazil.Engine(device=device, strict=True) as engine:
        assert pairs.collect(engine=engine).sort("v", "w").equals(expected)
        in_order = pairs.sort("v", maintain_order=True).collect(engine=engine)
    assert in_order.equals(expected)


def test_results_outlive_their_engine(device: str) -> None:
    rows = pl.DataFrame({"k": [1, 2, 1], "t": ["x", "a text that is not in its view", "y"]})
    queries = [rows.lazy().filter(col("k") > 1), rows.lazy().sort("k"), rows.lazy().group_by("k").agg(pl.len())]
    engine = frazil.Engine(device=device, strict=True)
    results = [query.collect(engine=engine) for query in queries]
    engine.shutdown()
    del engine
    gc.collect()
    for query, result in zip(queries, results, strict=True):
        assert result.sort("k").equals(query.collect(engine="in-memory").sort("k"))
