"""Two runs beside each other, question by question."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from pinyon.errors import InvalidFile
from pinyon.evaluation.quality.intervals import Interval, mean_interval

LESS_IS_BETTER = frozenset({"empty", "tokens", "junk", "attribution"})

Metrics = Mapping[str, Mapping[str, float]]
"""By question, the figures of its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How one figure differs between two runs, over the questions that both asked.

    Attributes:
        delta: What the later run has more, a mean over questions.
        interval: How sure that is.
        better: Questions that the later run answers better, and `worse` those that it does not.
    """

    questions: int
    before: float
    after: float
    delta: float
    interval: Interval
    better: int
    worse: int


def differences_of(
    before: Metrics, after: Metrics, names: Iterable[str], *, run: str
) -> dict[str, Difference]:
    """Return the differences of the figures that both runs have.

    Args:
        before: The earlier run.
        after: The later one.
        names: Which figures, in the order in which they are to come.
        run: What the earlier run is called, for the message.

    Raises:
        InvalidFile: The two have no question in common.
    """
    common = [question for question in after if question in before]
    if not common:
        raise InvalidFile(run, "it has no question in common with this run")
    found: dict[str, Difference] = {}
    for name in names:
        pairs = [
            (before[one][name], after[one][name])
            for one in common
            if name in before[one] and name in after[one]
        ]
        if pairs:
            found[name] = _difference(pairs, 1 if name not in LESS_IS_BETTER else -1)
    return found


def _difference(pairs: list[tuple[float, float]], sign: int) -> Difference:
    deltas = [after - before for before, after in pairs]
    return Difference(
        questions=len(pairs),
        before=fmean(before for before, _ in pairs),
        after=fmean(after for _, after in pairs),
        delta=fmean(deltas),
        interval=mean_interval(deltas),
        better=sum(delta * sign > 0 for delta in deltas),
        worse=sum(delta * sign < 0 for delta in deltas),
    )
