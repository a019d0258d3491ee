"""Sort, and top-k as a sort with a slice."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("Sort",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    maintain_order, nulls_last, descending = view.sort_options
    from_end = view.slice is not None and view.slice[0] < 0
    node = t.node(
        "sort",
        {"keys": t.rows(view.by_column)},
        {
            "descending": list(descending),
            "nulls_last": list(nulls_last),
            "maintain_order": maintain_order,
            "slice": None if view.slice is None or from_end else t.slice(*view.slice),
        },
    )
    return t.sliced(node, view.slice) if from_end else node
