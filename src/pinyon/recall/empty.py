"""Why nothing came."""

from pinyon.domain.answers import EmptyBecause
from pinyon.recall.recalling import EVENTS, FILTERED, Recalling


def empty_because(recalling: Recalling) -> EmptyBecause | None:
    """Return why there is no hit, or `None` where there is one.

    A part that failed is named first: what it would have brought nobody knows. The event log brings
    no hit, so it does not count.
    """
    if recalling.hits:
        return None
    if recalling.is_over:
        return "not_needed"
    if any(part != EVENTS for part in recalling.degraded):
        return "degraded"
    own = [space for space in recalling.question.spaces if space.segments != ("shared",)]
    filtered = {space for (space, _), drop in recalling.dropped.items() if drop.stage == FILTERED}
    if not any(recalling.passages.get(space) or space in filtered for space in own):
        return "empty_store"
    if filtered:
        return "filtered"
    return "below_floor"
