"""A query's fate before it runs: which nodes Frazil would run, and what Polars would, why, and what to change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from frazil.estimate import Estimates
from frazil.polars.plan import Plan
from frazil.polars.tree import PlanNode


def as_text(plan: Plan, *, device: str, polars: str) -> str:
    """The tree of the plan, a line for each node, with the reasons below those that were refused.

    device: of nodes that run on Frazil.
    polars: the engine of Polars that runs what Frazil runs no part of; "" if nothing is left to Polars.
    """
    lines = [verdict(plan, polars)]
    if plan.root is None:
        return "\n".join([*lines, *(f"  {reason}\n    {reason.advice}" for reason in plan.reasons)])
    return "\n".join([*lines, *lines_of(plan.root, Places(plan, device, polars), Estimates(), 0)])


def lines_of(node: PlanNode, places: Places, estimates: Estimates, depth: int) -> Iterator[str]:
    """A node and all below it."""
    indent = "  " * depth
    rows = estimates.rows(node)
    told = "" if rows is None else f" ~{rows:,} rows"
    yield f"{indent}{node.kind} [{places.of(node)}]{told}{': ' if node.detail else ''}{node.detail}"
    for reason in node.reasons:
        column = f"column {reason.expression!r}: " if reason.expression else ""
        yield f"{indent}  ! {reason.code}: {column}{reason.message}"
        yield f"{indent}    {reason.advice}"
    for child in node.inputs:
        yield from lines_of(child, places, estimates, depth + 1)


def as_json(plan: Plan, *, device: str, polars: str) -> str:
    """The same as JSON: `native`, `polars` (engine of the rest), `reasons`, and `plan`, a tree of nodes."""
    places = Places(plan, device, polars)
    return json.dumps(
        {
            "native": plan.node is not None,
            "polars": engine_of_the_rest(plan, polars),
            "reasons": [vars(reason) | {"advice": reason.advice} for reason in plan.reasons],
            "plan": None if plan.root is None else tree_of(plan.root, places, Estimates()),
        }
    )


def tree_of(node: PlanNode, places: Places, estimates: Estimates) -> dict[str, Any]:
    """A node and all below it."""
    return {
        "kind": node.kind,
        "detail": node.detail,
        "device": places.of(node),
        "rows": estimates.rows(node),
        "columns": {name: str(dtype) for name, dtype in node.schema.items()},
        "reasons": [vars(reason) | {"advice": reason.advice} for reason in node.reasons],
        "inputs": [tree_of(child, places, estimates) for child in node.inputs],
    }


def engine_of_the_rest(plan: Plan, polars: str) -> str:
    """Polars' engine that runs what Frazil does not; "" if there is none."""
    if plan.node is not None or not polars:
        return ""
    return "in-memory" if plan.root is not None and plan.root.parts() else polars


def verdict(plan: Plan, polars: str) -> str:
    """The first line."""
    if plan.node is not None:
        return "Frazil runs the query."
    if not polars:
        return "This engine is strict: the query raises UnsupportedError."
    if (engine := engine_of_the_rest(plan, polars)) != "in-memory" or plan.root is None or not plan.root.parts():
        return f"Polars' {engine} engine runs the whole query."
    return f"Polars' {engine} engine runs the query over parts that Frazil runs."


class Places:
    """Where each node of a plan would run."""

    def __init__(self, plan: Plan, device: str, polars: str) -> None:
        self._device = device
        self._ours: set[int] = set()
        root = plan.root
        for part in [] if root is None else [root] if root.node is not None else root.parts() if polars else []:
            self._ours.update(id(node) for node in part.walk())
        engine = engine_of_the_rest(plan, polars)
        self._else = f"Polars {engine}" if engine else "refused"

    def of(self, node: PlanNode) -> str:
        """The device, or Polars' engine, or that the engine is strict."""
        if id(node) in self._ours:
            return f"frazil {self._device}"
        return self._else if self._else != "refused" or node.reasons else "not run"
