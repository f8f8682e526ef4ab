"""What a run must reach: `recall@10>=0.85`, `leaks==0`, `recall@10[category=*]>=0.8`."""

import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from pinyon.errors import InvalidValue
from pinyon.evaluation.quality.comparing import Difference
from pinyon.evaluation.quality.summary import AREAS, METRICS, PERCENTILES, Slice, Summary

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_GATE = re.compile(r"\s*(?P<name>\S.*?)\s*(?P<operator>>=|<=|==|!=|>|<)\s*(?P<value>-?[\d.]+)\s*")
_FORM = "a figure, one of >=, <=, ==, !=, > and <, and a number, as recall@10>=0.85"
_OF_A_SLICE = re.compile(r"\[[^\]]*\]$")
_CHANGE = re.compile(r"delta\((?P<name>.+)\)(\.low|\.high)?")
KNOWN = (
    *METRICS,
    *AREAS,
    "leaks",
    "starvation",
    *(f"{sort}_ms.{name}" for sort in ("wall", "cpu") for name in PERCENTILES),
)
"""Figures that a gate may look at; those of slices and changes are named after them."""

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A figure, or those of every slice where it holds a `*`, and what it must be."""

    text: str
    name: str
    operator: str
    value: float

    def is_met(self, found: float) -> bool:
        """Return whether a figure is what it must be."""
        return OPERATORS[self.operator](found, self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of a gate: the figure that was looked at, and whether it is what it must be."""

    gate: str
    name: str
    found: float
    passed: bool


def read_gate(text: str, known: Collection[str] = KNOWN) -> Gate:
    """Read a gate.

    Args:
        text: What must hold.
        known: The figures that there are.

    Raises:
        InvalidValue: It is none, or there is never such a figure.
    """
    found = _GATE.fullmatch(text)
    if found is None:
        raise InvalidValue("gate", text, _FORM)
    try:
        value = float(found["value"])
    except ValueError:
        raise InvalidValue("gate", text, _FORM) from None
    name = found["name"]
    change = _CHANGE.fullmatch(name)
    if (change["name"] if change else _OF_A_SLICE.sub("", name)) not in known:
        raise InvalidValue("gate", name, "one of " + ", ".join(known))
    return Gate(text=text.strip(), name=name, operator=found["operator"], value=value)


def judged(gate: Gate, figures: Figures) -> list[Verdict]:
    """Return what becomes of a gate, for each figure that it means.

    Raises:
        InvalidValue: There is no such figure.
    """
    before, star, after = gate.name.partition("*")
    names = [
        name
        for name in figures
        if name == gate.name or (star and name.startswith(before) and name.endswith(after))
    ]
    if not names:
        raise InvalidValue("gate", gate.name, "one of " + ", ".join(_kinds_of(figures)))
    return [
        Verdict(gate=gate.text, name=name, found=figures[name], passed=gate.is_met(figures[name]))
        for name in names
    ]


def figures_of(summary: Summary, differences: Mapping[str, Difference]) -> dict[str, float]:
    """Return every figure of a run by the name that a gate calls it.

    Those of all questions have their own name, those of a slice `recall@10[kind=semantic]`; what a
    recall takes is `wall_ms.p95` or `cpu_ms.p50`; what changed is `delta(ndcg@10)`, and the bounds
    of its interval `delta(ndcg@10).low` and `.high`.
    """
    figures = dict(summary.whole.metrics)
    figures["leaks"], figures["starvation"] = summary.leaks, summary.starvation
    for sort, percentiles in summary.recall_ms.items():
        figures.update({f"{sort}_ms.{name}": value for name, value in percentiles.items()})
    for slicing, parts in summary.by.items():
        for part, of in parts.items():
            figures.update(_of_slice(of, f"{slicing}={part}"))
    for name, difference in differences.items():
        figures[f"delta({name})"] = difference.delta
        figures[f"delta({name}).low"] = difference.interval.low
        figures[f"delta({name}).high"] = difference.interval.high
    return figures


def _of_slice(of: Slice, name: str) -> dict[str, float]:
    return {f"{metric}[{name}]": value for metric, value in of.metrics.items()}


def _kinds_of(figures: Figures) -> list[str]:
    """Return the names that there are, those of slices once for each slicing."""
    return list(dict.fromkeys(re.sub(r"=[^\]]*\]$", "=*]", name) for name in figures))
