"""From what became of each question to the figures of a run, over all and by slices."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pinyon.evaluation.quality.asking import Outcome
from pinyon.evaluation.quality.corpus import ABSTAIN, Abstain
from pinyon.evaluation.quality.intervals import (
    Interval,
    area_interval,
    area_under_curve,
    mean_interval,
)
from pinyon.evaluation.quality.marks import MARKS
from pinyon.evaluation.timing import quantile
from pinyon.text.scripts import language_by_script

SLICES: Mapping[str, Callable[[Outcome], Iterable[str]]] = {
    "category": lambda one: (one.category,) if one.category else (),
    "kind": lambda one: one.kinds,
    "language": lambda one: (language_by_script(one.question) or "none",),
    "half": lambda one: (one.half,),
}
"""What questions are summed up by: category, kind of what answers, language, half of the tenants.

Halves are for whoever changes the ranking: what helps only one of them was fitted to it.
"""

PERCENTILES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """What became of some questions: how many there are, their figures and how sure those are."""

    questions: int
    metrics: Mapping[str, float]
    intervals: Mapping[str, Interval]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of a run.

    Attributes:
        whole: Over all questions.
        by: By slice and its name.
        leaks: Hits that were another tenant's.
        starvation: Questions that fewer hits came for than where their tenant was alone, and of how
            many that was looked at.
        recall_ms: What a recall of ten hits took: `wall` and `cpu`, by percentile.
        stages_ms: Wall time of each stage, by percentile.
    """

    whole: Slice
    by: Mapping[str, Mapping[str, Slice]]
    leaks: int
    starvation: int
    starvation_of: int
    recall_ms: Mapping[str, Mapping[str, float]]
    stages_ms: Mapping[str, Mapping[str, float]]


def summary_of(outcomes: Sequence[Outcome]) -> Summary:
    """Return the figures of a run of at least one question."""
    by: dict[str, dict[str, Slice]] = {}
    for name, names_of in SLICES.items():
        parts: dict[str, list[Outcome]] = {}
        for one in outcomes:
            for part in names_of(one):
                parts.setdefault(part, []).append(one)
        by[name] = {part: slice_of(of) for part, of in sorted(parts.items())}
    stages: dict[str, list[float]] = {}
    for one in outcomes:
        for stage, took in one.stages_ms.items():
            stages.setdefault(stage, []).append(took)
    tried = [one for one in outcomes if one.starved is not None]
    return Summary(
        whole=slice_of(outcomes),
        by=by,
        leaks=sum(one.leaks for one in outcomes),
        starvation=sum(one.starved is True for one in tried),
        starvation_of=len(tried),
        recall_ms={
            "wall": _percentiles([one.run.wall_ms for one in outcomes]),
            "cpu": _percentiles([one.run.cpu_ms for one in outcomes]),
        },
        stages_ms={stage: _percentiles(took) for stage, took in stages.items()},
    )


def slice_of(outcomes: Sequence[Outcome]) -> Slice:
    """Return the figures of some questions."""
    values = _values(outcomes)
    metrics = {name: fmean(of) for name, of in values.items()}
    intervals = {name: mean_interval(of) for name, of in values.items()}
    own = [one.best for one in outcomes if one.abstain is None]
    for why in ABSTAIN:
        other = [one.best for one in outcomes if one.abstain == why]
        if own and other:
            metrics[f"auroc({why})"] = area_under_curve(own, other)
            intervals[f"auroc({why})"] = area_interval(own, other)
    return Slice(questions=len(outcomes), metrics=metrics, intervals=intervals)


def metrics_of(outcome: Outcome) -> dict[str, float]:
    """Return the figures of one question, by name; what is compared between two runs."""
    if outcome.abstain is not None:
        return {abstention(outcome.abstain): float(not outcome.hits)}
    return {**outcome.marks, "empty": float(not outcome.hits), "tokens": float(outcome.tokens)}


def abstention(why: Abstain) -> str:
    """Return the name of the share of such questions that nothing came for."""
    return f"abstention({why})"


METRICS = (*MARKS, "empty", "tokens", *map(abstention, ABSTAIN))
"""Means over questions, in the order in which they are shown.

`empty` is the share of answerable questions that nothing came for, `tokens` about how many ten hits
take in a prompt.
"""
AREAS = tuple(f"auroc({why})" for why in ABSTAIN)
"""How well the best hit's relevance tells what is answered from what is not."""


def _values(outcomes: Iterable[Outcome]) -> dict[str, list[float]]:
    """Return what is averaged, in the order of `METRICS`."""
    values: dict[str, list[float]] = {name: [] for name in METRICS}
    for one in outcomes:
        for name, value in metrics_of(one).items():
            values[name].append(value)
    return {name: of for name, of in values.items() if of}


def _percentiles(took: Sequence[float]) -> dict[str, float]:
    return {name: quantile(took, share) for name, share in PERCENTILES.items()}
