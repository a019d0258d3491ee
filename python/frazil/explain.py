"""A query's fate as text: how Frazil would run it, or why Polars would."""

from __future__ import annotations

from frazil import _frazil as core
from frazil.polars.plan import Plan


def explain(engine: core.Engine, plan: Plan, *, program: bool, otherwise: str) -> str:
    """The native plan, with tile programs if `program`; or every refusal, and what happens instead (`otherwise`)."""
    if plan.node is not None and not plan.reasons:
        return engine.explain(plan.node, program)
    return "\n".join([f"{otherwise}, because Frazil refuses:", *(f"  {reason}" for reason in plan.reasons)])
