"""One module for each kind of plan node, taken by the build from the operator's folder; those that lie here have no
operator of their own.

A module has `NODES`, the kinds of Polars' nodes that it handles, and `translate(view, t)`, which makes a core.Node of
the view of such a node; `t` is the NodeTranslation of `frazil.polars.node`. A kind is the class name of the view; for
nodes that have kinds of their own it goes on with a point and that kind: "Scan.parquet", "MapFunction.unpivot".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from frazil import _frazil as core

Translate = Callable[[Any, Any], core.Node]


@cache
def translations() -> dict[str, Translate]:
    """The function that translates a node, by kind of node."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return {kind: module.translate for module in modules for kind in module.NODES}
