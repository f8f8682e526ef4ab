"""What a change makes of a memory: pure, and the same on every store."""

from dataclasses import replace
from typing import Any

from pinyon.domain.change import UNSET, Await, Count, Link, Patch, Settle, Unset
from pinyon.domain.event import Event
from pinyon.domain.memory import AWAITED, Counts, Memory
from pinyon.errors import VersionConflict

_PATCHED = (
    "title", "keywords", "scenarios", "category", "project", "module", "tags", "metadata",
    "importance", "confidence", "pinned", "summary",
)  # fmt: skip
_LINKED = (
    "supersedes", "superseded_by", "superseded_at_us", "contradiction", "conflicts_with",
    "outdated_by", "copies",
)  # fmt: skip


def patched(memory: Memory, patch: Patch, now_us: int) -> Memory:
    """Return the memory with the annotations that a patch sets, one version on."""
    times = replace(memory.times, updated_at_us=now_us)
    if not isinstance(patch.expires_at_us, Unset):
        times = replace(times, expires_at_us=patch.expires_at_us)
    procedure = memory.procedure
    if procedure is not None and not isinstance(patch.refined_steps, Unset):
        procedure = replace(procedure, refined_steps=patch.refined_steps)
    return replace(
        memory,
        version=memory.version + 1,
        times=times,
        procedure=procedure,
        **_given(patch, _PATCHED),
    )


def linked(memory: Memory, link: Link, now_us: int) -> Memory:
    """Return the memory as a link leaves it, one version on."""
    times = replace(
        memory.times, updated_at_us=now_us, **_given(link, ("valid_from_us", "valid_until_us"))
    )
    return replace(
        memory,
        version=memory.version + 1,
        times=times,
        links=replace(memory.links, **_given(link, _LINKED)),
        source=replace(memory.source, **_given(link, ("supporting", "derived_from", "spans"))),
        **_given(link, ("status", "shelf", "catalog")),
    )


def counted(counts: Counts, count: Count) -> Counts:
    """Return the counters with a count added; instants only move forward."""
    last_used = max(counts.last_used_at_us, count.used_at_us or 0)
    successes = [at for at in (counts.last_success_at_us, count.succeeded_at_us) if at is not None]
    return Counts(
        uses=counts.uses + count.uses,
        support=counts.support + count.support,
        successes=counts.successes + count.successes,
        failures=counts.failures + count.failures,
        last_used_at_us=last_used,
        last_success_at_us=max(successes, default=None),
    )


def settled(memory: Memory, settle: Settle) -> Memory:
    """Return the memory without what it no longer awaits; no version moves.

    Raises:
        VersionConflict: Somebody else was first, and that matters.
    """
    if settle.is_first and settle.awaited not in memory.awaits:
        raise VersionConflict(memory.id, expected=memory.version, actual=memory.version)
    return replace(memory, awaits=tuple(a for a in memory.awaits if a != settle.awaited))


def awaiting(memory: Memory, owed: Await) -> Memory:
    """Return the memory with what it awaits; no version moves."""
    return replace(memory, awaits=tuple(a for a in AWAITED if a in {*memory.awaits, owed.awaited}))


def is_retry(event: Event, earlier: Event, within_us: int) -> bool:
    """Return whether an event is the same one, sent again."""
    same = (event.session, event.role, event.content_hash, event.event_type)
    if same != (earlier.session, earlier.role, earlier.content_hash, earlier.event_type):
        return False
    if event.message_id or earlier.message_id:
        return event.message_id == earlier.message_id
    return abs(event.occurred_at_us - earlier.occurred_at_us) <= within_us


def _given(change: Patch | Link, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(change, name)) is not UNSET}
