"""Sinks that stand in the plan: our rows, written by Polars."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation
from frazil.polars.sinks import writer_of

NODES = ("Sink",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    if t.below[0].writer is not None:
        t.refuse("sink", "a sink on a sink")
    t.writer = writer_of(view.payload, t.column_of)
    return t.input()
