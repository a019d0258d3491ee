"""HConcat: the columns of several inputs beside each other."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("HConcat",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    _, strict, repeat = view.options
    return t.node("hconcat", options={"strict": strict, "repeat": repeat})
