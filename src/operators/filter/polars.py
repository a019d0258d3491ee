"""Filter: keeps the rows for which the predicate is true."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("Filter",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    predicate = t.predicate(view.predicate)
    return t.node("filter", {"predicate": predicate}) if predicate else t.input()
