"""Join on equal keys, with a residual predicate for inner joins, and the cross join."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("Join",)

FORMS = {"Inner": "inner", "Left": "left", "Semi": "semi", "Anti": "anti", "Cross": "cross"}
RESIDUAL = ("Inner", "fused_predicate")  # joined rows must also pass the predicate


def translate(view: Any, t: NodeTranslation) -> core.Node:
    form, nulls_equal, rows, suffix, coalesce, maintain_order = view.options
    if form not in (*FORMS, RESIDUAL):
        t.refuse("join", f"joins of the form {form if isinstance(form, str) else ' with '.join(map(str, form[:2]))}")
    if form != RESIDUAL:
        t.require("predicate", view.predicate, None)
    node = t.node(
        "join",
        {
            "left": t.rows(view.left_on, child=0),
            "right": t.rows(view.right_on, child=1),
            "predicate": t.predicate(view.predicate, child=None),  # over the columns of the joined rows
        },
        {
            "how": "inner" if form == RESIDUAL else FORMS[form],
            "nulls_equal": nulls_equal,
            "suffix": suffix,
            "coalesce": coalesce,
            "maintain_order": maintain_order,
        },
    )
    return t.sliced(node, rows)
