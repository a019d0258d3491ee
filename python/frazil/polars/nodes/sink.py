"""Sinks that stand in the plan, as `sink_parquet(lazy=True)` makes them; Polars writes these, and what lies below."""

from __future__ import annotations

from typing import Any

from frazil import _frazil as core
from frazil.polars.node import NodeTranslation

NODES = ("Sink",)


def translate(view: Any, t: NodeTranslation) -> core.Node:
    t.refuse("sink", "the query ends in a sink, which Polars writes")
