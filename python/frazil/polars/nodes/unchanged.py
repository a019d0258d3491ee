"""Nodes that leave all rows as they are."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("MapFunction.hint_sorted",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    return t.input()
