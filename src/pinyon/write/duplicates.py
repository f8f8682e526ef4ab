"""When two memories are one. Equal text decides, never similarity."""

from collections.abc import Set as AbstractSet

from pinyon.domain.filter import And, Cmp, Eq, Filter, In, Not
from pinyon.domain.memory import Memory
from pinyon.domain.times import US_PER_S

RETRY_WITHIN_US = 60 * US_PER_S
"""The same words in the same session within a minute are one message, sent again."""


def equal_to(memory: Memory, temporary: AbstractSet[str] = frozenset()) -> Filter:
    """Return the filter that finds the memory that this one would only repeat.

    A fact, procedure or catalog entry equals one of the same kind and text that is active and on
    the open shelf: what was superseded, retracted, hidden or archived is not repeated but new.
    An episode equals one of the same session, role and text that has its message id or, where
    neither has one, lies within a minute: the same words at another time are another event.

    Args:
        memory: What is about to be kept.
        temporary: Sessions that are: what is said in one equals nothing outside of it, for one of
            the two is forgotten when it ends.
    """
    same_text = (Eq("kind", memory.kind), Eq("content_hash", memory.content_hash))
    if memory.kind != "episodic":
        return And((*same_text, *_apart(memory, temporary), *_HOLDS))
    said = (
        *same_text,
        Eq("session", memory.source.session),
        Eq("role", memory.source.role),
        Eq("message_id", memory.source.message_id),
    )
    if memory.source.message_id:
        return And(said)
    occurred_at_us = memory.times.occurred_at_us
    at_us = memory.times.created_at_us if occurred_at_us is None else occurred_at_us
    within = (
        Cmp("occurred_at", "gte", at_us - RETRY_WITHIN_US),
        Cmp("occurred_at", "lte", at_us + RETRY_WITHIN_US),
    )
    return And((*said, *within))


_HOLDS: tuple[Filter, ...] = (Eq("status", "active"), Eq("shelf", "open"))


def _apart(memory: Memory, temporary: AbstractSet[str]) -> tuple[Filter, ...]:
    if memory.source.session in temporary:
        return (Eq("session", memory.source.session),)
    return (Not(In("session", tuple(sorted(temporary)))),) if temporary else ()
