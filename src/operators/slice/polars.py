"""Slice: a run of rows; a negative offset counts from the end."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("Slice",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    offset, length = t.slice(view.offset, view.len)
    return t.node("slice", options={"offset": offset, "length": length})
