"""How good one answer is, where it is known what answers: recall, first place, order, budget."""

from collections.abc import Collection, Mapping, Sequence
from math import log2

CUTOFFS = (1, 5, 10, 20)
NDCG_HITS = ALL_HITS = 10
BUDGETS = (500, 1_000, 2_000)
"""Tokens of a prompt that memory may take."""

MARKS = (
    *(f"recall@{cut}" for cut in CUTOFFS),
    f"all-hit@{ALL_HITS}",
    "mrr",
    f"ndcg@{NDCG_HITS}",
    *(f"evidence@{budget}" for budget in BUDGETS),
    f"at-hand@{ALL_HITS}",
)
"""The marks of one answer, each 0-1.

`recall@k` is the share of the evidence among the first k hits, `all-hit@10` whether all of it is
there; `mrr` is one over the place of the first hit that answers, 0 where none does; `ndcg@10` how
near the order is to having all that answers first; `evidence@n` the share of the evidence in as
many first hits as n tokens hold; `at-hand@10` the share among the first ten hits or the core facts,
which a model is given whatever is asked.
"""

Marks = Mapping[str, float]


def marks_of(
    evidence: Sequence[str],
    came: Sequence[str],
    tokens: Sequence[int] | None = None,
    core: Collection[str] = (),
) -> Marks:
    """Return the marks of an answer.

    Args:
        evidence: What answers, at least one; what says the same may be there more than once.
        came: What came, best first; what comes twice counts where it comes first.
        tokens: How many tokens each of it takes; by default none.
        core: What is at hand whatever is asked.

    Source:
        Järvelin, Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002.
    """
    place_of: dict[str, int] = {}
    for place, one in enumerate(came, start=1):
        place_of.setdefault(one, place)
    places = [place_of[one] for one in evidence if one in place_of]

    def share(last: int) -> float:
        return sum(place <= last for place in places) / len(evidence)

    gained = sum(_gain(place) for place in set(places) if place <= NDCG_HITS)
    best = sum(_gain(place) for place in range(1, min(len(set(evidence)), NDCG_HITS) + 1))
    spent = tokens if tokens is not None else [0] * len(came)
    marks = [
        *(share(cut) for cut in CUTOFFS),
        float(share(ALL_HITS) == 1),
        1 / min(places) if places else 0.0,
        gained / best,
        *(share(_hits_within(spent, budget)) for budget in BUDGETS),
        _share_at_hand(evidence, {*came[:ALL_HITS], *core}),
    ]
    return dict(zip(MARKS, marks, strict=True))


def _share_at_hand(evidence: Sequence[str], at_hand: Collection[str]) -> float:
    return sum(one in at_hand for one in evidence) / len(evidence)


def _hits_within(tokens: Sequence[int], budget: int) -> int:
    """Return how many first hits a budget holds; the first that is too long ends it."""
    spent = 0
    for place, cost in enumerate(tokens):
        spent += cost
        if spent > budget:
            return place
    return len(tokens)


def _gain(place: int) -> float:
    return 1 / log2(place + 1)
