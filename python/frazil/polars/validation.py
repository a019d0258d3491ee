"""Joins that are to check their keys (`validate="1:1"`), which Polars does not show to engines.

Its physical plan tells: the streaming engine has no such join, and hands one with keys to the in-memory engine for this
reason alone. One without keys is a loop over a predicate.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import polars as pl

from frazil.polars.refusal import Refused, shown

# Polars writes the keys below this line; the label's text has escaped ends of lines.
CHECKED_JOIN = re.compile(r"in-memory-join\\nleft_on:\\n(?!\\n)")


def has_checked_joins(lf: pl.LazyFrame, optimizations: pl.QueryOptFlags) -> bool:
    """Whether a join of the query is to raise for keys that are not unique; also if Polars does not tell."""
    try:
        text: str = shown(lf._ldf.with_optimizations(no_more_than_needed()).to_dot_streaming_phys, True)
    except Refused:
        return True
    return CHECKED_JOIN.search(text) is not None


@cache
def no_more_than_needed() -> Any:
    """Switches for a physical plan; optimisations take time, and add no checks."""
    switches: Any = pl.QueryOptFlags.none()._pyoptflags
    switches.streaming = switches.type_coercion = True
    return switches
