"""How sure a figure is: bootstrap intervals, and the area under a curve."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pinyon.errors import InvalidValue

RESAMPLES = 2_000
SHARE = 0.95
_SEED = 20_260_101
_AT_ONCE = 2_000_000
"""Numbers that are drawn at once, so that many questions take no more memory than few."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """Between which two values a figure lies, 95 times in a hundred."""

    low: float
    high: float


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the interval of a mean over questions, at least one.

    Source:
        Efron, "Bootstrap methods: another look at the jackknife", 1979; percentiles of
        `RESAMPLES` resamples with a fixed seed, so that it is the same each time. Questions count
        as independent, which those about one person are not quite: the true one is a little wider.
    """
    if not values:
        raise InvalidValue("values", 0, "at least 1")
    held = np.asarray(values, np.float64)
    return _percentiles(_resampled_means(held, np.random.default_rng(_SEED)))


def area_under_curve(yes: Sequence[float], no: Sequence[float]) -> float:
    """Return how often a score of `yes` is above one of `no`, both at least one; equal ones half.

    Source:
        Hanley, McNeil, "The meaning and use of the area under a ROC curve", 1982.
    """
    if not yes or not no:
        raise InvalidValue("scores", 0, "at least 1 of each sort")
    below = np.sort(np.asarray(no, np.float64))
    left = np.searchsorted(below, yes, side="left")
    right = np.searchsorted(below, yes, side="right")
    return float((left + right).sum() / (2 * len(yes) * len(no)))


def area_interval(yes: Sequence[float], no: Sequence[float]) -> Interval:
    """Return the interval of an area under a curve, both sorts drawn anew."""
    random = np.random.default_rng(_SEED)
    first, second = np.asarray(yes, np.float64), np.asarray(no, np.float64)
    areas = [
        area_under_curve(
            random.choice(first, len(first)).tolist(), random.choice(second, len(second)).tolist()
        )
        for _ in range(RESAMPLES // 10)
    ]
    return _percentiles(np.asarray(areas))


def _resampled_means(values: Floats, random: np.random.Generator) -> Floats:
    count = len(values)
    step = max(1, _AT_ONCE // count)
    means = [
        values[random.integers(0, count, (min(step, RESAMPLES - done), count))].mean(axis=1)
        for done in range(0, RESAMPLES, step)
    ]
    return np.concatenate(means)


def _percentiles(drawn: Floats) -> Interval:
    tail = (1 - SHARE) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return Interval(float(low), float(high))
