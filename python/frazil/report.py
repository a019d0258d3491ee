"""What became of a query: which operators ran where, or why Frazil refused it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self

from frazil import _frazil as core
from frazil.reasons import advice


class Reason(str):
    """Why Frazil does not run a part of a query: a text, and its four parts. `node` and `expression` may be empty.

    code: a short word to group by, such as "function", "node", "literal", "broadcast", "join".
    node: Polars' class name of the plan node, such as "GroupBy".
    expression: the output column whose expression is meant.
    message: what was met, in one sentence.
    """

    code: str
    node: str
    expression: str
    message: str

    def __new__(cls, code: str, node: str, expression: str, message: str) -> Self:
        place = f"{node}, column {expression!r}: " if expression else f"{node}: " if node else ""
        reason = super().__new__(cls, f"{place}{message} [{code}]")
        reason.code, reason.node, reason.expression, reason.message = code, node, expression, message
        return reason

    @property
    def advice(self) -> str:
        """What to change so that Frazil runs it."""
        return advice(self.code)

    def __getnewargs__(self) -> tuple[str, str, str, str]:  # type: ignore[override]  # for pickle, of this class
        return self.code, self.node, self.expression, self.message


# Parallel test runners look up how to send an object by this name, and know no subclasses: it travels as its text.
Reason.__name__ = "str"


class NodeReport(NamedTuple):
    """One plan node that ran.

    rows: that its operator produced.
    seconds, bytes, bytes_peak: of the pipelines that it ended, 0 if it was fused into another: how long they took, what
        went into them (a text counts as 16 bytes, whatever its length), and the most that the engine held meanwhile.
    row_groups, row_groups_pruned: of a scan of Parquet files, how many there are and how many were not read.
    """

    node: str
    device: str
    rows: int
    seconds: float
    bytes: int = 0
    bytes_peak: int = 0
    row_groups: int = 0
    row_groups_pruned: int = 0


@dataclass(frozen=True)
class Report:
    """What the latest call of an engine did.

    native: all rows were produced by Frazil; False: Polars ran the query or a part of it, or it was refused.
    nodes: the plan nodes that ran on Frazil, children first, as counted by their operators.
    reasons: why Frazil refused, empty if native.
    polars: the engine of Polars that ran what Frazil refused: "in-memory" if Frazil ran parts of the query, "streaming"
        if it ran none; "" if none was needed, or if a strict engine refused.
    notes: what a GPU left to the CPU, and why.
    launches, kernel_seconds, device_bytes: GPU kernels, their time by the GPU's clock, and the bytes of the columns
        that they read; 0 on the CPU.
    tiles_loaded: tiles of columns that programs read on the CPU; a filter that leaves nothing of a tile saves the rest.
    bytes_peak: the most memory that the engine held meanwhile, for other queries too; frames of Polars do not count.
    bytes_spilled: rows that were written to files because the memory limit pressed.
    """

    native: bool
    nodes: tuple[NodeReport, ...] = ()
    reasons: tuple[Reason, ...] = ()
    polars: str = ""
    notes: tuple[str, ...] = ()
    launches: int = 0
    kernel_seconds: float = 0.0
    device_bytes: int = 0
    tiles_loaded: int = 0
    bytes_peak: int = 0
    bytes_spilled: int = 0

    @property
    def device(self) -> str:
        """The device that ran the nodes, such as "cpu" or "cuda:0"; several are joined by "+"; "" if none ran."""
        return "+".join(dict.fromkeys(node.device for node in self.nodes))

    @classmethod
    def of_all(cls, reports: Iterable[Report]) -> Report:
        """One report of several queries: native if all of them were."""
        reports = list(reports)
        return cls(
            native=all(report.native for report in reports),
            nodes=tuple(node for report in reports for node in report.nodes),
            reasons=tuple(dict.fromkeys(reason for report in reports for reason in report.reasons)),
            polars="+".join(dict.fromkeys(report.polars for report in reports if report.polars)),
            notes=tuple(note for report in reports for note in report.notes),
            launches=sum(report.launches for report in reports),
            kernel_seconds=sum(report.kernel_seconds for report in reports),
            device_bytes=sum(report.device_bytes for report in reports),
            tiles_loaded=sum(report.tiles_loaded for report in reports),
            bytes_peak=max((report.bytes_peak for report in reports), default=0),
            bytes_spilled=sum(report.bytes_spilled for report in reports),
        )

    def __str__(self) -> str:
        ran = [
            f"  {node.node:<14} {node.device:<8} {node.rows:>15,} rows {node.seconds:>10.6f} s" for node in self.nodes
        ]
        refused = [f"  {reason}" for reason in self.reasons]
        notes = [f"  {note}" for note in self.notes]
        rest = f", Polars' {self.polars} engine ran the rest" if self.polars else ""
        return "\n".join(["native" if self.native else f"not native{rest}", *ran, *refused, *notes])


class UnsupportedError(core.UnsupportedError):
    """Frazil cannot run the query; nothing has run. `reasons` is the list of `Reason`s."""

    def __init__(self, reasons: Iterable[Reason]) -> None:
        self.reasons = list(reasons)
        super().__init__(self.reasons)

    def __str__(self) -> str:
        return "\n  ".join(["Frazil cannot run this query:", *self.reasons])
