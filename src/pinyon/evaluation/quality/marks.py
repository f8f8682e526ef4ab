"""How good an answer is, where it is known what answers: recall, first place, order."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean

from pinyon.errors import InvalidValue

CUTOFFS = (1, 5, 10, 20)
NDCG_HITS = 10


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one answer, each 0-1.

    Attributes:
        recall: By cutoff, the share of the evidence among so many first hits.
        reciprocal_rank: One over the place of the first hit that answers; 0 where none does.
        ndcg: How near the order is to having all that answers first, over `NDCG_HITS` hits.
    """

    recall: dict[int, float]
    reciprocal_rank: float
    ndcg: float


def marks_of(evidence: Sequence[str], came: Sequence[str]) -> Marks:
    """Return the marks of an answer.

    Args:
        evidence: What answers, at least one; what says the same may be there more than once.
        came: What came, best first, each once.

    Source:
        Järvelin, Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002.
    """
    place_of = {one: place for place, one in enumerate(came, start=1)}
    places = [place_of[one] for one in evidence if one in place_of]
    recall = {cut: sum(place <= cut for place in places) / len(evidence) for cut in CUTOFFS}
    gained = sum(_gain(place) for place in set(places) if place <= NDCG_HITS)
    best = sum(_gain(place) for place in range(1, min(len(set(evidence)), NDCG_HITS) + 1))
    return Marks(recall, 1 / min(places) if places else 0.0, gained / best)


def mean_marks(marks: Sequence[Marks]) -> Marks:
    """Return the mean over questions.

    Raises:
        InvalidValue: There are none.
    """
    if not marks:
        raise InvalidValue("marks", 0, "at least 1")
    return Marks(
        {cut: fmean(one.recall[cut] for one in marks) for cut in CUTOFFS},
        fmean(one.reciprocal_rank for one in marks),
        fmean(one.ndcg for one in marks),
    )


def _gain(place: int) -> float:
    return 1 / log2(place + 1)
