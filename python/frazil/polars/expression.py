"""Polars' expressions as the core's.

Which functions there are, the core says: its table holds Polars' spellings of each of them, so nothing is listed here.
A spelling is "operator.Plus", "agg.sum", "function.abs", "string.Contains", "cast" or "ternary".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import core_dtype
from frazil.polars.literal import physical
from frazil.polars.refusal import Refused, shown
from frazil.polars.text import member

BOOLEAN = pl.Boolean()
COMPARISONS = {
    f"operator.{name}" for name in ("Eq", "NotEq", "Lt", "LtEq", "Gt", "GtEq")
}  # whose dtype needs no asking
LONGEST_REPEAT = 1_000_000  # a plan should not hold more
AGGREGATES = {"cells", "segmented"}  # shapes of functions that give one row; all others give a row for each row


class Height(IntEnum):
    """How many rows an expression gives: as many as beside it are asked for, one, or those of its input."""

    LITERAL = 0
    ONE = 1
    ROWS = 2


class Expression(NamedTuple):
    """A translated expression and its height."""

    core: core.Expr
    height: Height


class SeriesLiterals:
    """The Series that expressions of a node bring along, whose names are not among those taken.

    series: each under the name that it has among the columns of the input.
    beside_columns: whether there are columns of the input among the expressions.
    """

    def __init__(self, taken: Collection[str]) -> None:
        self.series: list[pl.Series] = []
        self._taken = taken
        self.beside_columns = False

    def add(self, series: pl.Series) -> str:
        """The name of a Series, which no column has."""
        name = f"series {len(self.series)}"
        while name in self._taken:
            name += "'"
        self.series.append(series.alias(name))
        return name


@cache
def functions_by_spelling() -> dict[str, list[core.Function]]:
    """The core's functions under each of Polars' spellings; several may differ in the length of their payload."""
    found: dict[str, list[core.Function]] = {}
    for function in core.functions():
        for spelling in function["polars"]:
            found.setdefault(spelling, []).append(function)
    return found


def variants(spelling: str) -> list[core.Function]:
    """The functions of a spelling; refused if there is none."""
    found = functions_by_spelling().get(spelling)
    if found is None:
        raise Refused("function", f"there is no function {spelling}")
    return found


@cache
def variant(spelling: str, options: int) -> core.Function | None:
    """The function of a spelling with this many options, if there is one."""
    return next((function for function in variants(spelling) if function["payload"] == options), None)


class ExpressionTranslator:
    """Translates expressions against the schema of the node under the traverser's cursor.

    schema: of that node.
    series: takes the Series among the literals; None refuses those.
    beside: makes a column of an aggregate that stands beside rows; None refuses those.
    """

    def __init__(
        self,
        traverser: Any,
        schema: Mapping[str, pl.DataType],
        series: SeriesLiterals | None = None,
        beside: Callable[[core.Expr], core.Expr] | None = None,
    ) -> None:
        self._traverser = traverser
        self._schema = schema
        self._series = series
        self._beside = beside
        self._columns: dict[str, Expression] = {}

    def translate(self, index: int) -> Expression:
        """The expression with this index; refused if any part of it is."""
        return self._translate(index, shown(self._traverser.view_expression, index))

    def _translate(self, index: int, view: Any) -> Expression:
        match kind := type(view).__name__:
            case "Column":
                if self._series is not None:
                    self._series.beside_columns = True
                return self._columns.get(view.name) or self._column(view.name)
            case "Literal" if type(view.value).__name__ == "PySeries":
                return self._series_literal(pl.Series._from_pyseries(view.value), view.dtype)
            case "Literal":
                return self._literal(view.value, view.dtype)
            case "BinaryExpr":
                return self._call(index, operator_spelling(view.op), (view.left, view.right))
            case "Ternary":
                return self._call(index, "ternary", (view.predicate, view.truthy, view.falsy))
            case "Cast":
                return self._call(index, "cast", [view.expr], [view.options])
            case "Function":
                return self._function(index, view)
            case "Agg":
                return self._aggregate(index, view)
            case "Len":
                if self._series is not None:
                    self._series.beside_columns = True  # it counts the rows of the input
                return self._call(index, "agg.len", ())
        raise Refused("expression", f"expressions of kind {kind} stay with Polars")

    def predicate(self, index: int) -> Expression | None:
        """A predicate without the top-k hints that Polars puts into it; None if it is nothing else."""
        view = shown(self._traverser.view_expression, index)
        if is_hint(view):
            return None
        spelling = operator_spelling(view.op) if type(view).__name__ == "BinaryExpr" else ""
        if spelling not in ("operator.And", "operator.LogicalAnd"):
            return self._translate(index, view)
        sides = [side for side in map(self.predicate, (view.left, view.right)) if side is not None]
        if len(sides) < 2:
            return sides[0] if sides else None
        return self._combine(index, spelling, sides, [])

    def _column(self, name: str) -> Expression:
        if name not in self._schema:
            raise Refused("hidden", f"the column {name!r} is not among those of the input")
        column = Expression(core.column(name, core_dtype(self._schema[name])), Height.ROWS)
        self._columns[name] = column
        return column

    def _dtype(self, index: int) -> core.DataType:
        return core_dtype(self._polars_dtype(index))

    def _polars_dtype(self, index: int) -> pl.DataType:
        dtype: pl.DataType = shown(self._traverser.get_dtype, index)
        return dtype

    def _function(self, index: int, view: Any) -> Expression:
        data = view.function_data
        head, *options = data if isinstance(data, tuple) else (data,)
        spelling = spelling_of(head)
        if spelling == "function.repeat":
            return self._repeated(index, *view.input)
        variants(spelling)  # the function is the first reason to name, before those of its options and arguments
        payload = [payload_value(option) for option in options]
        arguments: list[Expression] = []
        for argument in view.input:
            shown_argument = shown(self._traverser.view_expression, argument)
            if is_list(shown_argument):
                payload.append(self._values_like(view.input[0], shown_argument, spelling))
            else:
                arguments.append(self._translate(argument, shown_argument))
        return self._combine(index, spelling, arguments, payload)

    def _aggregate(self, index: int, view: Any) -> Expression:
        filtered = [shown(self._traverser.view_expression, argument) for argument in view.arguments]
        if len(filtered) == 1 and type(filtered[0]).__name__ == "Filter":
            return self._aggregate_some(index, view, filtered[0])
        if view.name == "count" and view.options is True:  # nulls are counted as well
            if type(filtered[0]).__name__ == "Column":
                self.translate(view.arguments[0])
                return self._combine(index, "agg.len", [], [])  # of any dtype
            return self._call(index, "agg.count_all", view.arguments, [])
        spelling = f"agg.{view.name}"
        if view.name == "sum" and view.options is True:
            return self._sum_or_null(index, self.translate(view.arguments[0]))
        takes_options = any(function["payload"] == 1 for function in variants(spelling))
        if not takes_options and view.options not in (None, False):
            raise Refused("payload", f"{spelling} with option {view.options!r}")
        return self._call(index, spelling, view.arguments, [payload_value(view.options)] if takes_options else [])

    def _sum_or_null(self, index: int, value: Expression) -> Expression:
        """SQL's sum, which is null where there is nothing to add."""
        counts = pl.UInt32()  # the dtype of Polars' counts
        total = self._combine(index, "agg.sum", [value], [])
        count = self._made("agg.count", [value], counts)
        some = self._made("operator.Gt", [count, self._literal(0, counts)], pl.Boolean())
        return self._combine(index, "ternary", [some, total, self._literal(None, self._polars_dtype(index))], [])

    def _series_literal(self, series: pl.Series, dtype: pl.DataType) -> Expression:
        """A Series, as a column beside those of the input."""
        if self._series is None or series.dtype != dtype:
            raise Refused("literal", f"a Series of dtype {dtype}")
        return Expression(core.column(self._series.add(series), core_dtype(dtype)), Height.ROWS)

    def _repeated(self, index: int, value: int, count: int) -> Expression:
        """A literal a number of times, as a Series."""
        one, times = (shown(self._traverser.view_expression, part) for part in (value, count))
        if any(type(part).__name__ != "Literal" for part in (one, times)) or not isinstance(times.value, int):
            raise Refused("function", "function.repeat of what is no literal")
        if not 0 <= times.value <= LONGEST_REPEAT:
            raise Refused("literal", f"a literal {times.value} times")
        physical(one.value, one.dtype)  # refuses what is not shown as it is
        series = pl.Series([one.value], dtype=one.dtype).new_from_index(0, times.value)
        return self._series_literal(series, self._polars_dtype(index))

    def _literal(self, value: object, dtype: pl.DataType) -> Expression:
        return Expression(core.literal(physical(value, dtype), core_dtype(dtype)), Height.LITERAL)

    def _aggregate_some(self, index: int, view: Any, rows: Any) -> Expression:
        """An aggregate of filtered rows. One of accumulators does not mind nulls: the other rows become null."""
        if view.name == "count" and view.options is True:
            return self._count_some(index, rows)
        spelling = f"agg.{view.name}"
        value, predicate = self.translate(rows.input), self.translate(rows.by)
        if variants(spelling)[0]["shape"] == "cells":
            some = self._where(predicate, value, self._dtype(rows.input))
            if view.name == "sum" and view.options is True:
                return self._sum_or_null(index, some)
            return self._combine(index, spelling, [some], [])
        takes_options = any(function["payload"] == 1 for function in variants(spelling))
        return self._combine(
            index, spelling, [value, predicate], [payload_value(view.options)] if takes_options else []
        )

    def _count_some(self, index: int, rows: Any) -> Expression:
        truth = core_dtype(pl.Boolean())
        one = Expression(core.literal(True, truth), Height.LITERAL)
        return self._combine(index, "agg.count", [self._where(self.translate(rows.by), one, truth)], [])

    @staticmethod
    def _where(predicate: Expression, value: Expression, dtype: core.DataType) -> Expression:
        """The value where the predicate is true, else null."""
        null = core.literal(None, dtype)
        height = height_of_call(variants("ternary")[0], "ternary", [predicate.height, value.height])
        return Expression(core.call("ternary", [predicate.core, value.core, null], dtype, []), height)

    def _call(
        self, index: int, spelling: str, arguments: Sequence[int], payload: Sequence[core.Payload] = ()
    ) -> Expression:
        variants(spelling)
        return self._combine(index, spelling, [self.translate(argument) for argument in arguments], payload)

    def _values_like(self, first: int, literal: Any, spelling: str) -> list[core.Scalar]:
        """The values of a list; they end the payload, where they have no dtype but that of the first argument."""
        listed = literal.value
        if not isinstance(listed, list):
            listed = pl.Series._from_pyseries(literal.value).item()
            if listed is None:
                raise Refused("literal", f"{spelling} with a null in the place of a list")
            listed = listed.to_list()
        wanted, element = self._dtype(first), core_dtype(literal.dtype.inner)
        if element != wanted:
            raise Refused("literal", f"{spelling} of {wanted} with a list of {element}")
        dtype = literal.dtype.inner
        return [scalar(physical(value, dtype)) for value in listed]

    def _combine(
        self, index: int, spelling: str, arguments: list[Expression], payload: Sequence[core.Payload]
    ) -> Expression:
        dtype = BOOLEAN if spelling in COMPARISONS else self._polars_dtype(index)
        return self._made(spelling, arguments, dtype, payload)

    def _made(
        self, spelling: str, arguments: list[Expression], dtype: pl.DataType, payload: Sequence[core.Payload] = ()
    ) -> Expression:
        """A call of a function under one of Polars' spellings."""
        function = variant(spelling, len(payload))
        if function is None:
            raise Refused("payload", f"{spelling} with {len(payload)} options: {payload}")
        heights = [argument.height for argument in arguments]
        values = [argument.core for argument in arguments]
        mixed = Height.ONE in heights and Height.ROWS in heights
        if mixed and self._beside is not None and function["shape"] not in AGGREGATES:
            for place, height in enumerate(heights):
                if height == Height.ONE:
                    values[place], heights[place] = self._beside(values[place]), Height.ROWS
        height = height_of_call(function, spelling, heights)
        try:
            return Expression(core.call(function["name"], values, core_dtype(dtype), list(payload)), height)
        except core.UnsupportedError as error:
            raise Refused("function", f"{spelling}: {error}") from None


@cache
def operator_spelling(operator: object) -> str:
    """The spelling of a binary operator."""
    return f"operator.{member(operator)}"


def is_list(view: Any) -> bool:
    """Whether an expression is a list of values, as `is_in` has it."""
    if type(view).__name__ != "Literal" or not isinstance(view.dtype, pl.List):
        return False
    return isinstance(view.value, list) or (type(view.value).__name__ == "PySeries" and view.value.len() == 1)


def spelling_of(head: object) -> str:
    """The spelling of a function: of a name "function.abs", of a member of an enum "temporal.Year"."""
    if isinstance(head, str):
        return f"function.{head}"
    return f"{type(head).__name__.replace('Function', '').lower()}.{member(head)}"


def is_hint(view: Any) -> bool:
    """Whether an expression is a predicate that Polars' top-k would fill in while it runs."""
    data = view.function_data if type(view).__name__ == "Function" else None
    return isinstance(data, tuple) and data[0] == "dynamic_pred"


def height_of_call(function: core.Function, spelling: str, heights: list[Height]) -> Height:
    """The height of a call; refused where Polars would repeat one row beside many."""
    if function["shape"] in AGGREGATES:
        if heights and max(heights) < Height.ROWS:
            raise Refused("broadcast", f"{spelling} of something that has one row")
        return Height.ONE
    if Height.ROWS not in heights:
        return max(heights, default=Height.ROWS)
    if Height.ONE in heights:
        raise Refused("broadcast", f"{spelling} of an aggregate beside rows")
    return Height.ROWS


def scalar(value: object) -> core.Scalar:
    """The value, if the core takes it in a payload, where integers have 64 bits."""
    if value is None or isinstance(value, (bool, float, str)):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    raise Refused("payload", f"an option of type {type(value).__name__}, or too large")


def payload_value(value: object) -> core.Payload:
    """A scalar or a list of scalars, as the core takes it."""
    return [scalar(item) for item in value] if isinstance(value, (list, tuple)) else scalar(value)
