"""The codes of reasons: a stable word for each kind of thing that Frazil leaves to Polars, and what a user may change.

docs/reasons.md is written from this table, and a test holds it against the codes that the sources use.
"""

from __future__ import annotations

from typing import NamedTuple


class Meaning(NamedTuple):
    """What a code stands for, and what to do about it."""

    met: str
    advice: str


WAIT = "Nothing, until Frazil has it; Polars runs it."

CODES: dict[str, Meaning] = {
    "aggregate": Meaning(
        "An aggregation gives rows, not one value a group.", "Aggregate them, or collect them outside of `group_by`."
    ),
    "aggregate_here": Meaning(
        "An aggregate stands where rows are computed one by one.", "Compute it in a `select` or `group_by` of its own."
    ),
    "broadcast": Meaning(
        "One value is repeated beside many rows.", "Compute the aggregate in a query of its own and join it."
    ),
    "callback": Meaning(
        "The call brings a `post_opt_callback`, which is for Polars' own engines.", "Leave the callback out."
    ),
    "cloud": Meaning("Files lie in an object store.", "Copy them to a local file system."),
    "codec": Meaning("A Parquet file is compressed by a codec that is not there yet.", "Write it with Zstd or Snappy."),
    "depth": Meaning("The plan is nested too deeply to be walked.", "Collect a part of the query first."),
    "distinct": Meaning(
        "The rows that `unique` is to keep are not told apart here.", "Keep others, or sort afterwards."
    ),
    "dtype": Meaning("A column has a dtype that is not computed with here.", "Cast the column, or drop it early."),
    "encoding": Meaning("A Parquet file has an encoding that is not there yet.", "Write it with default encodings."),
    "encryption": Meaning("A Parquet file is encrypted.", WAIT),
    "expression": Meaning("A kind of expression, such as a window, is not there yet.", WAIT),
    "file": Meaning("A file cannot be read.", "The message says why."),
    "function": Meaning("A function is not there yet.", WAIT),
    "hidden": Meaning(
        "Polars does not show this part to engines: Python functions, files in memory, `list.eval` and others.",
        "Replace a Python function by expressions; write a buffer to a file and scan that.",
    ),
    "join": Meaning("A form of join is not there yet.", WAIT),
    "join_columns": Meaning("The columns of a join are not named as expected.", "Rename columns before the join."),
    "join_kind": Meaning("A kind of join is not there yet.", WAIT),
    "join_order": Meaning("A join is asked for an order of rows that is not kept.", "Drop `maintain_order`, or sort."),
    "join_predicate": Meaning("A join that is not inner has a predicate besides its keys.", "Filter before the join."),
    "join_validate": Meaning(
        "A join is to check that keys are unique, which Polars does not show to engines.",
        "Leave `validate` out, and look for duplicates in a query of its own.",
    ),
    "key_dtype": Meaning("Keys of this dtype are not there yet.", "Cast the key."),
    "literal": Meaning(
        "A literal may not reach engines as it was written, or has no place in the plan.",
        "Write it with another dtype, such as microseconds in place of nanoseconds.",
    ),
    "literal_dtype": Meaning("Literals of this dtype are not there yet.", "Cast the literal."),
    "nested": Meaning("A column of a Parquet file is nested.", "Select the other columns."),
    "node": Meaning("A kind of plan node is not there yet.", WAIT),
    "not_aggregated": Meaning("A column outside of aggregates gives a list for each group.", "Aggregate it."),
    "option": Meaning("An option of a plan node is not at its default.", "Drop the option."),
    "payload": Meaning("A function has options that are not there yet.", "Drop the option."),
    "row_group": Meaning("A row group of a Parquet file has too many rows.", "Write smaller row groups."),
    "run": Meaning(
        "Only the data told that the query cannot run here; nothing of its result had been given away.",
        "The message says what was met.",
    ),
    "schema": Meaning("The columns of the files are not those of the plan.", "Scan files of one schema."),
    "signature": Meaning("A function does not take these dtypes or options yet.", "Cast its arguments."),
    "sink": Meaning(
        "The query ends in a sink of a kind that is not known.", "Call the `sink_` method without `lazy=True`."
    ),
    "sort_slice": Meaning("A slice of a sort counts from the end.", "Sort in the other direction."),
    "union_columns": Meaning(
        "An input of a union has other columns than the union.", "Select the same columns of each."
    ),
    "version": Meaning(
        "This version of Polars shows its plans otherwise than Frazil knows them.",
        "Install a Polars that `frazil doctor` calls tested.",
    ),
}


def advice(code: str) -> str:
    """What to do about a reason with this code."""
    return CODES[code].advice if code in CODES else ""
