"""Join on equal keys, with a residual predicate for inner joins, on inequalities, and of all rows with all.

A full join is a left join, and a right join of the rows that it left over.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from frazil import _frazil as core
from frazil.polars.dtype import core_dtype
from frazil.polars.expression import variants
from frazil.polars.node import Named, NodeTranslation
from frazil.polars.text import member

NODES = ("Join",)

FORMS: dict[object, str] = {
    "Inner": "inner",
    "Left": "left",
    "Right": "right",
    "Semi": "semi",
    "Anti": "anti",
    "Cross": "cross",
}
RESIDUAL: dict[object, str] = {
    ("Inner", "fused_predicate"): "inner",
    ("Cross", "cross_and_filter"): "cross",
}  # and a predicate
RIGHT = "\1right"  # the suffix of columns of the right side, until they have their names


def translate(view: Any, t: NodeTranslation) -> core.Node:
    form, nulls_equal, rows, suffix, coalesce, maintain_order = view.options
    kind = form if isinstance(form, str) else form[:2] if len(form) == 2 else form[0]
    if kind not in RESIDUAL:
        t.require("predicate", view.predicate, None)
    options = {"nulls_equal": nulls_equal, "suffix": suffix, "coalesce": coalesce, "maintain_order": maintain_order}
    if kind == "Full":
        return t.sliced(full(view, t, options), rows)
    if kind == "IEJoin":
        return t.sliced(unequal(view, t, options), rows)
    how = FORMS.get(kind) or RESIDUAL.get(kind)
    if how is None:
        t.refuse("join", f"joins of the form {form if isinstance(form, str) else ' with '.join(map(str, form[:2]))}")
    node = t.node(
        "join",
        {
            "left": t.rows(view.left_on, child=0),
            "right": t.rows(view.right_on, child=1),
            "predicate": t.predicate(view.predicate, child=None),  # over the columns of the joined rows
        },
        {"how": how, **options},
    )
    return t.sliced(node, rows)


def full(view: Any, t: NodeTranslation, options: dict[str, object]) -> core.Node:
    """The left join, then the right rows that it left over, with nulls to their left."""
    if options["maintain_order"] not in ("none", "left", "left_right"):
        t.refuse("join_order", f"maintain_order={options['maintain_order']!r} of a full join")
    left_keys, right_keys = t.rows(view.left_on, child=0), t.rows(view.right_on, child=1)
    left, right = t.input(0), t.input(1)
    keys = {"left": left_keys, "right": right_keys}
    joining = {"nulls_equal": options["nulls_equal"], "suffix": RIGHT, "coalesce": False, "maintain_order": "left"}
    schema = joined_schema(left, right)
    matched = t.part("join", [left, right], keys, {"how": "left", **joining}, schema)
    swapped = {"left": right_keys, "right": left_keys}
    rest = t.part("join", [right, left], swapped, {"how": "anti", **joining}, right.schema)
    unmatched = t.part("join", [left, rest], keys, {**joining, "how": "right", "maintain_order": "right"}, schema)
    rows = t.part("union", [matched, unmatched], {}, {}, schema)
    merged = {}
    if options["coalesce"]:
        for (name, key), (other, other_key) in zip(left_keys, right_keys, strict=True):
            merged[name] = core.call("coalesce", [key, renamed(left, other, other_key.dtype)], key.dtype, [])
    gone = {other for other, _ in right_keys} if options["coalesce"] else set()
    return t.over(rows, "project", {"columns": named(left, right, str(options["suffix"]), merged, gone)})


def unequal(view: Any, t: NodeTranslation, options: dict[str, object]) -> core.Node:
    """All rows with all, of which those are kept whose keys compare as they should."""
    sides = [t.rows(view.left_on, child=0), t.rows(view.right_on, child=1)]
    inputs = []
    for child, keys in enumerate(sides):
        node = t.input(child)
        own = [(name, core.column(name, dtype)) for name, dtype in node.schema]
        made = [(f"\1key {child} {number}", key) for number, (_, key) in enumerate(keys)]
        schema = [(name, column.dtype) for name, column in [*own, *made]]
        inputs.append(t.part("project", [node], {"columns": [*own, *made]}, {}, schema))
    truth, tests = core_dtype(pl.Boolean()), []
    for number, operator in enumerate(op for op in view.options[0][1:] if op is not None):
        pair = [core.column(f"\1key {child} {number}", sides[child][number][1].dtype) for child in (0, 1)]
        tests.append(core.call(variants(f"operator.{member(operator)}")[0]["name"], pair, truth, []))
    predicate = tests[0] if len(tests) == 1 else core.call("and", tests, truth, [])
    crossed = {**options, "how": "cross", "suffix": RIGHT, "coalesce": False}
    rows = t.part("join", inputs, {"predicate": [("", predicate)]}, crossed, joined_schema(*inputs))
    left, right = t.input(0), t.input(1)
    return t.over(rows, "project", {"columns": named(left, right, str(options["suffix"]), {}, set())})


def joined_schema(left: core.Node, right: core.Node) -> list[tuple[str, core.DataType]]:
    """The columns of both sides, those of the right one as `renamed` has them."""
    return [*left.schema, *((right_name(left, name), dtype) for name, dtype in right.schema)]


def right_name(left: core.Node, name: str) -> str:
    return name + RIGHT if name in dict(left.schema) else name


def renamed(left: core.Node, name: str, dtype: core.DataType) -> core.Expr:
    """A column of the right side among those of both."""
    return core.column(right_name(left, name), dtype)


def named(left: core.Node, right: core.Node, suffix: str, merged: dict[str, core.Expr], gone: set[str]) -> list[Named]:
    """The columns of a join as Polars names them, some merged into those of the left side."""
    own = [(name, merged.get(name) or core.column(name, dtype)) for name, dtype in left.schema]
    taken = dict(left.schema)
    others = [
        (name + suffix if name in taken else name, renamed(left, name, dtype))
        for name, dtype in right.schema
        if name not in gone
    ]
    return [*own, *others]
