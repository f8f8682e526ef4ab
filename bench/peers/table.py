"""What is printed, and what is kept of it for a program."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cases import CASES, Verdict

from pinyon.evaluation.quality.summary import Summary

MARKS = {
    "R@1": "recall@1",
    "R@5": "recall@5",
    "R@10": "recall@10",
    "R@20": "recall@20",
    "MRR": "mrr",
    "nDCG": "ndcg@10",
    "none": "abstention(foreign)",
}
"""Columns of per cent; the last one is the share of foreign questions that nothing came for."""
SIGNS = {True: "✓", False: "✗", None: "–"}
PEER, VERSION = 17, 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one peer did.

    Attributes:
        skipped: Why it was not run; everything else is then empty.
        bytes_a_memory: On disk, all in all; `None` where it keeps no files.
        writing_ms: What keeping one memory took, a mean.
        tried: Hosts that it tried to reach, and was not let.
    """

    peer: str
    version: str = ""
    note: str = ""
    skipped: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    recall_ms: Mapping[str, float] = field(default_factory=dict)
    recall_cpu_ms: Mapping[str, float] = field(default_factory=dict)
    leaks: int = 0
    bytes_a_memory: float | None = None
    writing_ms: float = 0.0
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    tried: Sequence[str] = ()

    def json(self) -> dict[str, object]:
        """Return it for a program."""
        return asdict(self)


def figures_of(summary: Summary) -> dict[str, object]:
    """Return what a standing takes from the figures of a run."""
    return {
        "metrics": dict(summary.whole.metrics),
        "recall_ms": dict(summary.recall_ms["wall"]),
        "recall_cpu_ms": dict(summary.recall_ms["cpu"]),
        "leaks": summary.leaks,
    }


def shown(standings: Sequence[Standing]) -> str:
    """Return the tables: how well and how fast, the cases, and a line for what needs one."""
    return "\n".join(
        [
            *_figures(standings),
            "",
            *_cases(standings),
            "",
            *_whys(standings),
            "",
            *_notes(standings),
        ]
    )


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _figures(standings: Sequence[Standing]) -> list[str]:
    marks = "".join(f"{name:>7}" for name in MARKS)
    took = f"{'p50 ms':>8}{'p95 ms':>8}{'B/mem':>8}{'write ms':>10}"
    lines = [f"{'peer':<{PEER}}{'version':<{VERSION}}{marks}{took}"]
    for one in standings:
        head = f"{one.peer:<{PEER}}{one.version:<{VERSION}}"
        lines.append(head + (f"  skipped: {one.skipped}" if one.skipped else _row(one)))
    return lines


def _row(one: Standing) -> str:
    marks = "".join(f"{100 * one.metrics.get(name, 0.0):>7.1f}" for name in MARKS.values())
    disk = "–" if one.bytes_a_memory is None else f"{one.bytes_a_memory:,.0f}"
    took = f"{one.recall_ms['p50']:>8.1f}{one.recall_ms['p95']:>8.1f}"
    return f"{marks}{took}{disk:>8}{one.writing_ms:>10.1f}"


def _cases(standings: Sequence[Standing]) -> list[str]:
    lines = [f"{'peer':<{PEER}}" + "".join(f"{name:>16}" for name in CASES)]
    for one in standings:
        if not one.skipped:
            signs = (SIGNS[one.verdicts[name].passed] for name in CASES)
            lines.append(f"{one.peer:<{PEER}}" + "".join(f"{sign:>16}" for sign in signs))
    return lines


def _whys(standings: Sequence[Standing]) -> list[str]:
    return [
        f"{SIGNS[verdict.passed]} {one.peer}, {name}: {verdict.why}"
        for one in standings
        for name, verdict in one.verdicts.items()
        if not verdict.passed
    ]


def _notes(standings: Sequence[Standing]) -> list[str]:
    lines = []
    for one in standings:
        if one.note:
            lines.append(f"· {one.peer}: {one.note}")
        if one.leaks:
            lines.append(f"! {one.peer}: {one.leaks} hits are another tenant's")
        if one.tried:
            lines.append(f"! {one.peer}: it tried to reach {', '.join(one.tried)}, and was not let")
    return lines
