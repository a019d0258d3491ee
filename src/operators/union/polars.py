"""Union: the rows of several inputs, one input after the other, which is more than maintain_order=False asks for."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("Union",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    return t.sliced(t.node("union"), view.slice)
