"""Whether this Polars shows its plans as the translation knows them.

Some sixty tiny plans are written down: classes of nodes and expressions, names of attributes, lengths of tuples, values
of options. `known_plans.json` has what the tested version shows (tests/python/test_selftest.py writes it anew). A
version that shows any of it otherwise might mean other things by the same words, so all its queries stay with Polars.
What was found is remembered in the user's cache folder, by version.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
from polars import col

from frazil.polars.refusal import Refused, shown
from frazil.polars.text import member
from frazil.polars.validation import has_checked_joins

KNOWN = Path(__file__).with_name("known_plans.json")
PARTS: dict[str, tuple[str, ...]] = {  # the attributes that are expressions
    "Agg": ("arguments",),
    "BinaryExpr": ("left", "right"),
    "Cast": ("expr",),
    "Explode": ("expr",),
    "Filter": ("input", "by"),
    "Function": ("input",),
    "Gather": ("expr", "idx"),
    "Slice": ("input", "offset", "length"),
    "Sort": ("expr",),
    "SortBy": ("expr", "by"),
    "Ternary": ("predicate", "truthy", "falsy"),
    "Window": ("function", "partition_by", "order_by"),
}


class FallbackWarning(pl.exceptions.PerformanceWarning):
    """Polars runs a query, or a part of it, in the place of Frazil."""


def plans(folder: Path) -> dict[str, pl.LazyFrame]:
    """The queries, by what each is about; `folder` is for files."""
    frame = pl.LazyFrame({"k": [1, 2, 1], "v": [1.5, 2.5, 3.5], "s": ["a", "b", "c"], "d": [date(2024, 1, 1)] * 3})
    side = pl.LazyFrame({"k": [1, 5], "w": [7, 8], "d": [date(2024, 1, 1)] * 2})
    path = folder / "p=1" / "a.parquet"
    path.parent.mkdir()
    frame.collect(engine="in-memory").write_parquet(path)
    k, v, s, d = col("k"), col("v"), col("s"), col("d")
    ms, us, ns = (d.cast(pl.Datetime(unit)).dt for unit in ("ms", "us", "ns"))
    expressions = {
        "literals": [pl.lit(1) + k, pl.lit("x") + s, pl.lit(None).fill_null(k), v * 2.5, d > date(2024, 1, 2)],
        "arithmetic": [k + k, k - k, k * k, v / v, k // k, k % k, -k],
        "comparison": [k == k, (k != k), (k < k), k.eq_missing(k), (k >= k)],
        "logic": [(k > 1) & (k < 3), ((k > 1) | (v < 3)), (~(k > 1))],
        "conditions": [pl.when(k > 1).then(v).otherwise(0.0), pl.coalesce(v, k), v.fill_null(1.0)],
        "casts": [k.cast(pl.Float64), v.cast(pl.Int64, strict=False), s.cast(pl.Categorical)],
        "tests": [k.is_null(), v.is_nan(), k.is_in([1, 2]), k.is_between(1, 2)],
        "strings": [s.str.contains("a"), s.str.starts_with("a"), s.str.slice(0, 1)],
        "string lengths": [s.str.len_chars(), s.str.to_uppercase(), s.str.replace("a", "b")],
        "times": [d.dt.year(), d.dt.month(), d.dt.truncate("1mo"), d.dt.offset_by("1d")],
        "zones": [ms.replace_time_zone("UTC"), us.convert_time_zone("UTC"), ns.cast_time_unit("ms")],
        "rounding": [v.round(1), v.floor(), v.clip(1, 2), v.abs()],
        "horizontal": [pl.max_horizontal(k, v), pl.sum_horizontal(k, v), pl.concat_str(s, s)],
        "windows": [v.sum().over("k"), v.rank().over("k", order_by="d")],
        "order": [v.sort(), v.sort_by(k), v.reverse(), v.shift(1)],
        "cumulative": [v.cum_sum(), v.rolling_sum(2), v.diff()],
        "selection": [v.gather([0, 1, 2]), v.top_k(3), v.sample(3, seed=1)],
        "fused": [v * v + v],
    }
    aggregates = {
        "sums": [v.sum(), v.min(), v.max(), v.mean(), v.std()],
        "counts": [pl.len(), v.count(), v.n_unique(), v.null_count()],
        "places": [v.first(), v.last(), v.median(), v.quantile(0.5), s],
        "filters": [v.filter(k > 1).sum(), (v * 2).sum(), v.head(1), v.unique()],
        "logic": [(k > 1).any(), (k > 1).all(), v.arg_min()],
    }
    joins: dict[str, dict[str, Any]] = {
        how: {"how": how, "on": "k"} for how in ("inner", "left", "right", "full", "semi", "anti")
    }
    return {
        **{f"select {name}": frame.select(numbered(items)) for name, items in expressions.items()},
        **{f"aggregate {name}": frame.group_by("k").agg(numbered(items)) for name, items in aggregates.items()},
        **{
            f"reduce {name}": frame.select(numbered(items))
            for name, items in aggregates.items()
            if name not in ("places", "filters")
        },
        **{f"join {name}": frame.join(side, **options) for name, options in joins.items()},
        "join cross": frame.join(side, how="cross"),
        "join filter": frame.join(side, on="k").filter(v > col("w")),
        "join where": frame.join_where(side, k < col("w")),
        "join asof": frame.sort("k").join_asof(side.sort("k"), on="k"),
        "join order": frame.join(side, on="k", nulls_equal=True, maintain_order="left", suffix="_"),
        "filter": frame.filter(v > 2),
        "with_columns": frame.with_columns(x=v + 1, y=v.sum()),
        "projection": frame.filter(v > 2).select("s", "v"),
        "slice": frame.filter(v > 2).slice(1),
        "tail": frame.filter(v > 2).tail(1),
        "sort": frame.sort("k", "v", descending=[True, False], nulls_last=True),
        "top": frame.sort("v").head(2),
        "unique": frame.unique("k", keep="first", maintain_order=True),
        "union": pl.concat([frame, frame]),
        "side by side": pl.concat([frame, side.select("w")], how="horizontal"),
        "merge": frame.sort("k").merge_sorted(frame.sort("k"), "k"),
        "row index": frame.with_row_index(),
        "explode": frame.group_by("k").agg(v).explode("v"),
        "unpivot": frame.unpivot("v", index="k"),
        "dynamic": frame.group_by_dynamic("d", every="1d").agg(v.sum()),
        "rolling": frame.rolling("d", period="2d").agg(v.sum()),
        "shared": (shared := frame.filter(v > 2)).join(shared, on="k"),
        "scan": pl.scan_parquet(path).filter(v > 2).select("k"),
        "scan slice": pl.scan_parquet(path).slice(1, 1),
        "scan folders": pl.scan_parquet(path, hive_partitioning=True, include_file_paths="file").tail(2),
        "scan count": pl.scan_parquet(path).select(pl.len()),
        "sink": frame.sink_parquet(folder / "b.parquet", lazy=True),
        "python": frame.map_batches(lambda rows: rows),
    }


def numbered(items: list[pl.Expr]) -> list[pl.Expr]:
    """The expressions under names of their own."""
    return [item.alias(f"x{number}") for number, item in enumerate(items)]


def lines_of(traverser: Any) -> list[str]:
    """What Polars shows of a plan, a line for each node and expression."""
    done: set[int] = set()

    def node(index: int) -> Iterator[str]:
        if index in done:
            return
        done.add(index)
        traverser.set_node(index)
        inputs = traverser.get_inputs()
        yield f"node {told({}, traverser.view_current_node)} {len(inputs)} inputs"
        for item in traverser.get_exprs():
            yield from expression(item.node, 1)
        for child in inputs:
            yield from node(child)

    def expression(index: int, depth: int) -> Iterator[str]:
        yield f"{'  ' * depth}{told(PARTS, traverser.view_expression, index)}"
        with suppress(Refused):
            view = shown(traverser.view_expression, index)
            for part in PARTS.get(type(view).__name__, ()):
                parts = getattr(view, part)
                for below in parts if isinstance(parts, list) else [parts]:
                    if isinstance(below, int):
                        yield from expression(below, depth + 1)

    return list(node(traverser.get_node()))


def told(apart: Mapping[str, tuple[str, ...]], look: Callable[..., Any], *arguments: object) -> str:
    """The class of what is shown, and its attributes but for those told apart; or that it is not shown."""
    try:
        view = shown(look, *arguments)
    except Refused as refusal:
        return refusal.message.partition(":")[0]
    kind = type(view).__name__
    names = [name for name in dir(view) if not name.startswith("_")]
    parts = apart.get(kind, ())
    return f"{kind}({', '.join(f'{name}={kind_of(name, getattr(view, name))}' for name in names if name not in parts)})"


def kind_of(name: str, value: Any) -> str:
    """A value as far as it is the same in each run: words and flags, lengths of tuples, names of attributes."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        if name in ("paths", "payload"):
            return "str"
        with suppress(ValueError):
            return f"json {kind_of('', json.loads(value))}"
        return repr(value)
    if isinstance(value, int):
        told_apart = name in ("offset", "len", "options", "function_data") and abs(value) < 2**63
        return str(value) if told_apart else "int"
    if isinstance(value, tuple):
        return f"({', '.join(kind_of(name, item) for item in value)})"
    if isinstance(value, list):
        flags = all(isinstance(item, bool) for item in value)  # names of columns come in any order
        return f"[{', '.join(map(str, value)) if flags else type(value[0]).__name__}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {kind_of('', item)}" for key, item in sorted(value.items())) + "}"
    kind = type(value).__name__
    if kind in ("GroupbyOptions", "PyGroupbyOptions", "FileOptions", "PyFileOptions"):
        names = [inner for inner in dir(value) if not inner.startswith("_")]
        return f"{kind}({', '.join(f'{inner}={kind_of(inner, getattr(value, inner))}' for inner in names)})"
    return f"{kind}.{member(value)}" if f"{kind}." in repr(value) else kind


def as_shown() -> dict[str, list[str]]:
    """What this Polars shows of each of the queries."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, query in plans(Path(folder)).items():
            flags: Any = pl.QueryOptFlags().__copy__()
            flags._pyoptflags.gpu = True

            def look(traverser: Any, *_: object, name: str = name) -> None:
                root = traverser.get_node()
                found[name] = lines_of(traverser)
                traverser.set_node(root)
                traverser.set_udf(lambda *_: pl.DataFrame())

            pl.InMemoryEngine().collect(query, optimizations=flags, post_opt_callback=look)
    return found | {"joins that check keys": checked_joins()}


def checked_joins() -> list[str]:
    """Which joins are seen to check their keys."""
    left, right, flags = pl.LazyFrame({"k": [1], "v": [1]}), pl.LazyFrame({"k": [1], "w": [1]}), pl.QueryOptFlags()
    checks: tuple[Any, ...] = ("m:m", "1:m", "m:1", "1:1")
    ways: tuple[Any, ...] = ("inner", "left", "full")
    return [
        f"{how} {check}: {has_checked_joins(left.join(right, on='k', how=how, validate=check), flags)}"
        for how in ways
        for check in checks
    ]


def differences() -> list[str]:
    """Where this Polars shows other things than are known."""
    known, found = json.loads(KNOWN.read_text()), as_shown()
    return [
        f"{name}: {ours or 'nothing'}, now {theirs or 'nothing'}"
        for name in known
        for ours, theirs in pairs(known[name], found.get(name, []))
        if ours != theirs
    ]


def pairs(ours: list[str], theirs: list[str]) -> Iterator[tuple[str, str]]:
    """Both lists line by line, the shorter one filled up."""
    for number in range(max(len(ours), len(theirs))):
        yield (ours[number] if number < len(ours) else ""), (theirs[number] if number < len(theirs) else "")


def remembered() -> Path:
    """The file that stands for a test that this version of Polars has passed."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    known = hashlib.sha256(KNOWN.read_bytes() + Path(__file__).read_bytes()).hexdigest()[:16]
    return home / "frazil" / f"plans-{pl.__version__}-{known}.passed"


@cache
def problem() -> str | None:
    """What is wrong with this version of Polars, if anything is; the first time in a process this may take a moment."""
    file = remembered()
    with suppress(OSError):
        if file.exists():
            return None
    try:
        found = differences()
    except Exception as error:  # noqa: BLE001  whatever it is, plans are not shown as known
        found = [f"{type(error).__name__}: {error}"]
    if found:
        text = f"Polars {pl.__version__} shows {len(found)} things otherwise than they are known here, first {found[0]}"
        warnings.warn(FallbackWarning(f"{text}. Polars runs all queries itself."), stacklevel=2)
        return text
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return None
