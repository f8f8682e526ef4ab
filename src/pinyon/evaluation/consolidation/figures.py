"""The figures of a run: each a share of so many, or a count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pinyon.evaluation.consolidation.judging import (
    Judged,
    JudgedFact,
    JudgedLabel,
    JudgedMessage,
    expected_change,
)
from pinyon.evaluation.consolidation.playing import Played

SLICES = ("language", "person")
"""What figures are told apart by: the language of the message, and whose it is."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A share, `part` of `of`; or a count, where `of` is `None`."""

    part: int
    of: int | None = None

    @property
    def value(self) -> float:
        """Return a share as 0-1, one of nothing as 1; a count as it is."""
        if self.of is None:
            return float(self.part)
        return self.part / self.of if self.of else 1.0


Figures = Mapping[str, Figure]

OF_EACH = (
    "facts",
    "precision",
    "recall",
    "beside",
    "spans",
    "placed",
    "supersessions(precision)",
    "supersessions(recall)",
    "contradictions",
    "over",
    "kept",
    "kept(despite)",
    "junk",
    "junk/100",
    "attribution",
)
"""What is told of the whole and of each slice."""
OF_ALL = (
    "outcomes(precision)",
    "outcomes(recall)",
    "playbooks(precision)",
    "playbooks(recall)",
    "stability",
    "left",
    "unreadable",
)
"""What is told of the whole only."""
KNOWN = (*OF_EACH, *OF_ALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The figures of a run: of all of it, and by slice and part."""

    whole: Figures
    by: Mapping[str, Mapping[str, Figures]]

    @property
    def by_name(self) -> Mapping[str, float]:
        """Return every figure by the name that a gate calls it."""
        named = {name: one.value for name, one in self.whole.items()}
        for slicing, parts in self.by.items():
            for part, figures in parts.items():
                for name, one in figures.items():
                    named[f"{name}[{slicing}={part}]"] = one.value
        return named


def measured(judged: Judged, played: Played) -> Measured:
    """Return the figures of a run."""
    whole = {**_figures(judged.facts, judged.labels, judged.junk), **_of_all(judged, played)}
    return Measured(whole=whole, by={slicing: _sliced(judged, slicing) for slicing in SLICES})


def _sliced(judged: Judged, slicing: str) -> dict[str, Figures]:
    def part_of(one: JudgedFact | JudgedLabel | JudgedMessage) -> str:
        if slicing == "language":
            return one.language
        match one:
            case JudgedFact():
                return one.made.tenant
            case JudgedLabel():
                return one.label.tenant
            case JudgedMessage():
                return one.key[0]

    return {
        part: _figures(
            [one for one in judged.facts if part_of(one) == part],
            [one for one in judged.labels if part_of(one) == part],
            [one for one in judged.junk if part_of(one) == part],
        )
        for part in dict.fromkeys(
            [
                *(part_of(one) for one in judged.labels),
                *(part_of(one) for one in judged.junk),
                *(part_of(one) for one in judged.facts),
            ]
        )
    }


def _figures(
    facts: Sequence[JudgedFact], labels: Sequence[JudgedLabel], junk: Sequence[JudgedMessage]
) -> dict[str, Figure]:
    right = [one for one in facts if one.verdict == "right"]
    judged = [one for one in facts if one.verdict != "beside"]
    changed = [one for one in facts if one.change is not None]
    rightly = [one for one in changed if one.is_changed_rightly]
    due = [one for one in labels if expected_change(one.label) is not None]
    found = [one for one in labels if one.is_found]
    to_keep = [one for one in found if one.label.fate == "holds"]
    near = [one for one in to_keep if one.label.despite]
    of_junk = sum(one.verdict == "junk" for one in facts)
    return {
        "facts": Figure(len(facts)),
        "precision": Figure(len(right), len(judged)),
        "recall": Figure(len(found), len(labels)),
        "beside": Figure(len(facts) - len(judged)),
        "spans": _shared(one.stands for one in facts),
        "placed": _shared(one.is_placed for one in right if one.is_placed is not None),
        "supersessions(precision)": Figure(len(rightly), len(changed)),
        "supersessions(recall)": _shared(one.is_changed_rightly for one in due),
        "contradictions": _shared(
            expected_change(one.label) == one.change for one in rightly if one.label is not None
        ),
        "over": _shared(not one.holds for one in found if one.label.fate != "holds"),
        "kept": _shared(one.holds for one in to_keep),
        "kept(despite)": _shared(one.holds for one in near),
        "junk": Figure(of_junk),
        "junk/100": Figure(100 * of_junk, len(junk)) if junk else Figure(0, 1),
        "attribution": Figure(sum(one.is_others for one in facts)),
    }


def _of_all(judged: Judged, played: Played) -> dict[str, Figure]:
    outcomes, playbooks = judged.outcomes, judged.playbooks
    return {
        "outcomes(precision)": Figure(outcomes[0], outcomes[1]),
        "outcomes(recall)": Figure(outcomes[0], outcomes[2]),
        "playbooks(precision)": Figure(playbooks[0], playbooks[1]),
        "playbooks(recall)": Figure(playbooks[0], playbooks[2]),
        "stability": Figure(played.changed),
        "left": Figure(played.left),
        "unreadable": Figure(played.unreadable),
    }


def _shared(claims: Iterable[bool]) -> Figure:
    held = list(claims)
    return Figure(sum(held), len(held))
