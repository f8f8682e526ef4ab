"""Making one list of several."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

RRF_K = 30


def fuse_reciprocal_rank(
    legs: Sequence[Sequence[Key]], *, weights: Sequence[float] | None = None, k: int = RRF_K
) -> dict[Key, float]:
    """Merge ranked lists into one by summed reciprocal rank.

    Args:
        legs: One ranked list per leg, best first, nothing twice in a leg.
        weights: One per leg; 1 each by default.
        k: Damping, in ranks. Larger values flatten the advantage of first places.

    Returns:
        Score by key, best first; in `(0, sum(weights) / (k + 1)]`; ties by first sight.

    Raises:
        ValueError: `k` is negative, or there are not as many weights as legs.

    Source:
        Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion…", SIGIR 2009 (there k = 60; 30 lets the
        first places count more).
    """
    if k < 0:
        raise ValueError(f"k is {k}; it must be at least 0")
    given = [1.0] * len(legs) if weights is None else list(weights)
    scores: dict[Key, float] = {}
    for leg, weight in zip(legs, given, strict=True):
        for rank, key in enumerate(leg, start=1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank)
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def levels(shares: Sequence[float]) -> list[float]:
    """Return for each place of a ranked list the greatest share at or after it.

    The lists of several spaces meet by it: within a list its own order stays, and between lists the
    one comes first that still has the better thing to offer.

    Returns:
        As many values as shares, never rising.
    """
    result = list(shares)
    for place in range(len(result) - 2, -1, -1):
        result[place] = max(result[place], result[place + 1])
    return result


def merge_by_level(lists: Sequence[Sequence[tuple[Item, float]]]) -> list[tuple[Item, float]]:
    """Merge ranked lists of `(item, level)` whose levels never rise.

    Returns:
        All of them, highest level first; ties in the order of the lists.
    """
    together = [item for ranked in lists for item in ranked]
    # Sorting is stable: where two are equal, they stay in the order of the lists.
    return sorted(together, key=lambda item: -item[1])
