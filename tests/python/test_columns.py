"""Columns of every dtype come from Polars, move, and go back unchanged; what can be shared is not copied."""

import datetime as dt
import inspect
from decimal import Decimal

import polars as pl
import polars.datatypes as dtypes
import pytest
from polars.testing import assert_frame_equal

from frazil import _frazil as core

LONG = "longer than the twelve characters that lie in a view"
DAY = dt.date(2024, 2, 29)
MOMENT = dt.datetime(2024, 2, 29, 12, 34, 56, 789)
CATEGORIES = [f"category {i}" for i in range(300)]

# A dtype and values that differ from each other; tests make longer columns by repeating them.
ALL_DTYPES = [
    (pl.Null(), [None, None]),
    (pl.Boolean(), [True, False, False]),
    *[(t(), [0, 1, 7, 127]) for t in (pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)],
    *[(t(), [0, -1, 7, -128]) for t in (pl.Int8, pl.Int16, pl.Int32, pl.Int64)],
    (pl.Int128(), [0, -(2**127), 2**127 - 1]),
    (pl.UInt128(), [0, 2**128 - 1, 2**64]),
    (pl.Float16(), [0.0, -1.5, float("inf")]),
    (pl.Float32(), [0.0, -1.5, float("nan")]),
    (pl.Float64(), [0.0, -1.5, 1e300]),
    (pl.Decimal(10, 2), [Decimal("0.00"), Decimal("-12345678.90"), Decimal("1.01")]),
    (pl.Decimal(38, 0), [Decimal(10**37), Decimal(-1)]),
    (pl.String(), ["", "short", LONG, "exactly12chr", "thirteen char", "é" * 20]),
    (pl.Binary(), [b"", b"\x00\xff", LONG.encode(), bytes(range(256))]),
    (pl.Date(), [DAY, dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    (pl.Time(), [dt.time(0), dt.time(23, 59, 59, 999999)]),
    (pl.Datetime("ms"), [MOMENT.replace(microsecond=0), dt.datetime(1900, 1, 1)]),
    (pl.Datetime("us", "Europe/Zurich"), [MOMENT, dt.datetime(1970, 1, 1)]),
    (pl.Datetime("ns", "UTC"), [MOMENT, dt.datetime(1970, 1, 1)]),
    *[(pl.Duration(u), [dt.timedelta(days=-1), dt.timedelta(hours=30)]) for u in ("ms", "us", "ns")],
    (pl.Categorical(), ["a", "b", LONG]),
    (pl.Categorical(pl.Categories("columns", "tests", pl.UInt8)), ["x", LONG, "y"]),
    (pl.Enum([]), [None]),
    (pl.Enum(["a;1", "é", "", LONG]), ["a;1", "", LONG]),
    (pl.Enum(CATEGORIES), [CATEGORIES[0], CATEGORIES[299]]),
    (pl.List(pl.Int32), [[1, 2, 3], [], [None], [4]]),
    (pl.List(pl.String), [[LONG, None], ["a"], []]),
    (pl.List(pl.List(pl.Boolean)), [[[True], []], [None, [False, None]], []]),
    (pl.List(pl.Categorical()), [["a", "b"], [None], []]),
    (pl.Array(pl.Int16, 2), [[1, 2], [None, 4], [5, 6]]),
    (pl.Array(pl.String, (2, 2)), [[["a", LONG], ["b", None]], [["c", "d"], ["e", "f"]]]),
    (pl.Struct({"a": pl.Int64, "b": pl.String}), [{"a": 1, "b": LONG}, {"a": None, "b": "x"}, {"a": 3, "b": None}]),
    (
        pl.Struct({"l": pl.List(pl.Int8), "s": pl.Struct({"n": pl.Null, "f": pl.Boolean})}),
        [{"l": [1, 2], "s": {"n": None, "f": True}}, {"l": None, "s": None}],
    ),
    (pl.Struct({}), [{}, {}]),
    (pl.Map(pl.String, pl.Int64), [{"a": 1, LONG: None}, {}, {"b": 2}]),
    (pl.List(pl.Map(pl.Int8, pl.List(pl.String))), [[{1: ["a"]}, {}], [], [{2: [LONG, None], 3: []}]]),
]

CHUNK_ROWS = 67  # more than a word of the bitmaps, and no multiple of one


def series(dtype, values, nulls, rows):
    """Repeats the values in a changing order, with every fifth row null if wanted."""
    repeated = [None if nulls and i % 5 == 3 else values[(i * i + i // 7) % len(values)] for i in range(rows)]
    if isinstance(dtype, pl.Datetime) and dtype.time_zone:
        naive = pl.Series("x", repeated, dtype=pl.Datetime(dtype.time_unit))
        return naive.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
    return pl.Series("x", repeated, dtype=dtype, strict=True)


def frame(dtype, values, nulls, chunks, sliced):
    """A frame of the dtype beside a column of row numbers, with as many chunks as asked for."""
    extra = 3 if sliced else 0
    pieces = []
    for chunk in range(chunks):
        column = series(dtype, values, nulls, CHUNK_ROWS - 10 * chunk + 2 * extra)
        piece = pl.DataFrame([column, pl.Series("row", range(len(column)), dtype=pl.UInt32)])
        pieces.append(piece[extra : len(column) - extra])
    if not pieces:
        return pl.DataFrame([pl.Series("x", [], dtype=dtype), pl.Series("row", [], dtype=pl.UInt32)])
    return pl.concat(pieces, rechunk=False)


def check(table, expected):
    result = pl.DataFrame(table)
    assert table.rows == expected.height
    assert table.column_names == expected.columns
    assert result.schema == expected.schema
    assert_frame_equal(result, expected, categorical_as_str=False)


every_dtype = pytest.mark.parametrize(("dtype", "values"), ALL_DTYPES, ids=[str(t)[:60] for t, _ in ALL_DTYPES])
every_shape = [
    pytest.mark.parametrize("chunks", [0, 1, 3]),
    pytest.mark.parametrize("sliced", [False, True], ids=["plain", "sliced"]),
    pytest.mark.parametrize("nulls", [False, True], ids=["valid", "nulls"]),
]


def each_frame(test):
    for mark in every_shape:
        test = mark(test)
    return every_dtype(test)


def test_no_dtype_of_polars_is_missing():
    abstract = {
        "DataType",
        "IntegerType",
        "FloatType",
        "TemporalType",
        "Object",
        "Unknown",
        "Extension",
        "BaseExtension",
    }
    known = {
        c
        for _, c in inspect.getmembers(dtypes, inspect.isclass)
        if issubclass(c, pl.DataType) and c.__name__ not in abstract
    }
    assert known == {type(dtype) for dtype, _ in ALL_DTYPES}


@each_frame
def test_import_and_export(dtype, values, nulls, chunks, sliced):
    df = frame(dtype, values, nulls, chunks, sliced)
    check(core.Table(df), df)


@each_frame
def test_second_trip(dtype, values, nulls, chunks, sliced):
    df = frame(dtype, values, nulls, chunks, sliced)
    check(core.Table(core.Table(df).slice(0, df.height)), df)


@each_frame
def test_filter(dtype, values, nulls, chunks, sliced):
    df = frame(dtype, values, nulls, chunks, sliced)
    table = core.Table(df)
    masks = {
        "none": [False] * df.height,
        "all": [True] * df.height,
        "few": [i % 11 == 2 for i in range(df.height)],
        "most": [i % 9 != 4 for i in range(df.height)],
        "runs": [i // 64 % 2 == 0 for i in range(df.height)],
    }
    for mask in masks.values():
        expected = df.filter(pl.Series(mask, dtype=pl.Boolean))
        check(table.filter(mask), expected)
        check(table.filter(bytes(mask)), expected)


@each_frame
def test_gather(dtype, values, nulls, chunks, sliced):
    df = frame(dtype, values, nulls, chunks, sliced)
    table = core.Table(df)
    indices = [(i * 37) % df.height for i in range(2 * df.height)]
    check(table.gather(indices), df[indices])
    with_missing = [None if i % 3 == 1 else index for i, index in enumerate(indices)] + [None]
    expected = df.select(pl.all().gather(pl.Series(with_missing, dtype=pl.UInt32)))
    check(table.gather(with_missing), expected)


@each_frame
def test_slice(dtype, values, nulls, chunks, sliced):
    df = frame(dtype, values, nulls, chunks, sliced)
    table = core.Table(df)
    for start, end in [(0, 0), (0, 1), (1, 20), (9, 80), (df.height - 1, df.height), (0, df.height)]:
        start, end = max(0, min(start, df.height)), min(end, df.height)
        check(table.slice(start, max(0, end - start)), df[start:end])


@each_frame
def test_concatenate(dtype, values, nulls, chunks, sliced):
    df = frame(dtype, values, nulls, chunks, sliced)
    table = core.Table(df).concatenate()
    assert len(table.buffer_addresses()) == 1
    check(table, df)
    moved = core.Table(df).filter([i % 3 != 0 for i in range(df.height)]).concatenate()
    check(moved.slice(0, moved.rows // 2), df.filter(pl.int_range(pl.len()) % 3 != 0)[: moved.rows // 2])


@every_dtype
def test_no_copy_on_the_way_in(dtype, values):
    df = pl.DataFrame([series(dtype, values, True, 100)])[5:90]
    if dtype == pl.Null or dtype.is_nested() or isinstance(dtype, pl.Categorical):
        pytest.skip("Polars or we make buffers for nulls and codes")
    first, second = core.Table(df), core.Table(df)  # both alive: equal addresses mean that Polars' memory is used
    assert first.buffer_addresses() == second.buffer_addresses()


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("x", [1, None, 3] * 50, dtype=pl.Int64),
        pl.Series("x", [1, 2, 3] * 50, dtype=pl.Int128),
        pl.Series("x", [True, None, False] * 50),
        pl.Series("x", [DAY, None] * 50),
        pl.Series("x", [LONG, None, "a"] * 50),
        pl.Series("x", [[LONG, None], None, ["a"]] * 50),
        pl.Series("x", [{"a": 1, "b": LONG}] * 50),
    ],
    ids=lambda column: str(column.dtype),
)
def test_no_copy_on_the_way_out(column):
    table = core.Table(column.to_frame())
    sliced = table.slice(9, 20)
    assert core.Table(table).buffer_addresses() == table.buffer_addresses()
    assert core.Table(sliced).buffer_addresses() == table.buffer_addresses()


def test_values_lie_where_polars_has_them():
    column = pl.Series("x", range(1000), dtype=pl.Int64)
    address = column.to_numpy(allow_copy=False).ctypes.data
    [[[validity, values]]] = core.Table(column.to_frame()).buffer_addresses()
    assert (validity, values) == (0, address)


def test_memory_outlives_its_frame():
    table = core.Table(pl.DataFrame({"x": [LONG + str(i) for i in range(10_000)]}))
    assert pl.DataFrame(table)["x"][9_999] == LONG + "9999"
    result = pl.DataFrame(table)
    del table
    assert result["x"][5_000] == LONG + "5000"


def test_object_is_refused():
    df = pl.DataFrame({"thing": pl.Series([object()], dtype=pl.Object)})
    with pytest.raises(core.UnsupportedError, match="thing.*Object") as caught:
        core.Table(df)
    assert isinstance(caught.value, NotImplementedError)
    with pytest.raises(core.UnsupportedError):
        core.schema_of(df)


def test_not_a_stream():
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        core.Table(3)


def test_a_capsule_is_read_once():
    capsule = pl.DataFrame({"x": [1]}).__arrow_c_stream__()

    class Again:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    core.Table(Again())
    with pytest.raises(pl.exceptions.ComputeError, match="released"):
        core.Table(Again())


def test_errors_have_polars_classes():
    table = core.Table(pl.DataFrame({"x": [1, 2]}))
    with pytest.raises(pl.exceptions.ShapeError):
        table.filter([True])
    with pytest.raises(pl.exceptions.ShapeError):
        table.slice(1, 2)
    with pytest.raises(pl.exceptions.ComputeError):
        table.gather([2])
    assert issubclass(core.OutOfMemoryError, MemoryError)


@every_dtype
def test_schema(dtype, values):
    [(name, read)] = core.schema_of(pl.DataFrame({"x": pl.Series([], dtype=dtype)}))
    assert name == "x"
    if isinstance(dtype, pl.Categorical):
        assert str(read) == "Categorical"
    else:
        assert str(read) == str(dtype)


def test_dtypes_are_equal_only_to_themselves():
    types = [dtype for dtype, _ in ALL_DTYPES]
    first, second = ([core.schema_of(pl.Series("x", [], dtype=t).to_frame())[0][1] for t in types] for _ in range(2))
    for i, a in enumerate(first):
        assert [j for j, b in enumerate(second) if a == b] == [i]
        assert hash(a) == hash(second[i])


def test_frame_without_columns_keeps_its_height():
    df = pl.DataFrame(height=3)
    assert core.Table(df).rows == 3
    assert pl.DataFrame(core.Table(df)).height == 3
    assert core.Table(df).filter([True, False, True]).rows == 2


def test_arrays_without_values():
    df = pl.DataFrame({"x": pl.Series([[], None, []], dtype=pl.Array(pl.Int8, 0))})
    table = core.Table(df)  # Polars cannot read such arrays from Arrow, not even its own
    assert core.Table(table.filter([True, True, False])).concatenate().rows == 2
    assert core.Table(table.gather([2, None, 0, 1])).rows == 4


def test_categories_that_differ_are_united():
    first = pl.Series("x", ["a", "b", None], dtype=pl.Categorical)
    second = pl.Series("x", ["c", LONG, "a"], dtype=pl.Categorical)
    df = pl.concat([first.to_frame(), second.to_frame()], rechunk=False)
    check(core.Table(df).concatenate(), df)


def test_offset_strings_become_views():
    pyarrow = pytest.importorskip("pyarrow")
    values = ["", None, "short", LONG, LONG + "2"] * 30
    raw = [None if v is None else v.encode() for v in values]
    table = pyarrow.table(
        {
            "u": pyarrow.array(values, pyarrow.string()),
            "U": pyarrow.array(values, pyarrow.large_string()),
            "z": pyarrow.array(raw, pyarrow.binary()),
            "Z": pyarrow.array(raw, pyarrow.large_binary()),
            "l": pyarrow.array([[v] for v in values], pyarrow.list_(pyarrow.string())),
        }
    )
    expected = pl.DataFrame({"u": values, "U": values, "z": raw, "Z": raw, "l": [[v] for v in values]})
    check(core.Table(table.slice(3, 100)), expected[3:103])
    check(core.Table(table).filter([i % 4 == 0 for i in range(150)]), expected[::4])


@pytest.mark.parametrize("bits", ["decimal32", "decimal64"])
def test_narrow_decimals(bits):
    pyarrow = pytest.importorskip("pyarrow")
    if not hasattr(pyarrow, bits):
        pytest.skip("this pyarrow has no such type")
    values = [Decimal("1.25"), None, Decimal("-99.99")] * 30
    table = pyarrow.table({"x": pyarrow.array(values, getattr(pyarrow, bits)(6, 2))})
    expected = pl.DataFrame({"x": pl.Series(values, dtype=pl.Decimal(6, 2))})
    check(core.Table(table), expected)
    check(core.Table(table.slice(1, 70)).gather([None, *range(70)]), pl.concat([expected[1:2], expected[1:71]]))


def test_struct_of_a_batch_may_have_offset_and_nulls():
    pyarrow = pytest.importorskip("pyarrow")
    rows = [{"a": i, "b": [str(i)]} if i % 4 else None for i in range(100)]
    array = pyarrow.array(rows, pyarrow.struct([("a", pyarrow.int64()), ("b", pyarrow.list_(pyarrow.string()))]))
    reader = pyarrow.chunked_array([array[3:90]])
    expected = pl.DataFrame(rows[3:90], schema={"a": pl.Int64, "b": pl.List(pl.String)})
    check(core.Table(reader), expected)


def test_a_stream_that_fails_is_a_compute_error():
    pyarrow = pytest.importorskip("pyarrow")
    schema = pyarrow.schema([("x", pyarrow.int64())])

    def batches():
        yield pyarrow.record_batch([[1]], schema=schema)
        raise ValueError("the source broke")

    with pytest.raises(pl.exceptions.ComputeError, match="the source broke"):
        core.Table(pyarrow.RecordBatchReader.from_batches(schema, batches()))
