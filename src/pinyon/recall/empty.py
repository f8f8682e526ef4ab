"""Why nothing came."""

from pinyon.domain.answers import EmptyBecause
from pinyon.recall.recalling import Recalling

FILTERED = "filter"
"""The stage that drops what a filter keeps out."""


def empty_because(recalling: Recalling) -> EmptyBecause | None:
    """Return why there is no hit, or `None` where there is one.

    A part that failed is named first: what it would have brought nobody knows.
    """
    if recalling.hits:
        return None
    if recalling.degraded:
        return "degraded"
    own = [space for space in recalling.question.spaces if space.segments != ("shared",)]
    if not any(recalling.passages.get(space) for space in own):
        return "empty_store"
    if any(drop.stage == FILTERED for drop in recalling.dropped.values()):
        return "filtered"
    return "below_floor"
