"""One memory taking the place of others: what becomes of the old ones, of the new one, of episodes.

What is planned here is applied in one transaction, against the versions that were read: of two
writers that supersede the same memory one wins, and the other is told by whom.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pinyon.domain.change import Absent, Change, Link
from pinyon.domain.filter import Filter
from pinyon.domain.ids import MemoryId, NewUuid
from pinyon.domain.memory import Contradiction, Memory
from pinyon.domain.space import Space
from pinyon.errors import InvalidValue, NotFound, Superseded, TemporarySession
from pinyon.ports.records import Records
from pinyon.write.copies import following
from pinyon.write.duplicates import equal_to

HARSH_COSTS = 0.1
"""Confidence that a harsh contradiction lacks until somebody else says the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A memory that is to take the place of others; `temporary` are sessions as in `equal_to`."""

    memory: Memory
    supersedes: tuple[MemoryId, ...]
    contradiction: Contradiction
    temporary: frozenset[str] = frozenset()

    def equal(self) -> Filter:
        """Return the filter that finds the memory that it would only repeat."""
        return equal_to(self.memory, self.temporary)


@dataclass(slots=True)
class Succession:
    """What is going to change, and what that rests on.

    Attributes:
        memory: The new memory, as it is to be put.
        is_new: Whether it is to be put at all; one that says the same may be there.
        changes: Everything but the new memory.
        expect: Versions that must still hold.
        replaced: What it takes the place of.
    """

    memory: Memory
    is_new: bool = True
    changes: list[Change] = field(default_factory=list)
    expect: dict[MemoryId, int] = field(default_factory=dict)
    replaced: tuple[Memory, ...] = ()


async def plan_succession(
    records: Records, space: Space, wish: Wish, *, now_us: int, new_uuid: NewUuid
) -> Succession:
    """Return what a wish amounts to now.

    Raises:
        NotFound: One of the memories is not there.
        Superseded: One of them has a successor already.
        InvalidValue: One of them says the same as the new one.
    """
    old = await _named(records, space, wish.supersedes)
    session = wish.memory.source.session
    for one in old:
        if session in wish.temporary and one.source.session != session:
            raise TemporarySession(f"it cannot take the place of {one.id}")
    memory = _successor(wish)
    plan = Succession(memory, replaced=tuple(old))
    equal = (await records.scan(space, wish.equal(), limit=1)).memories
    by = memory.id
    if equal:
        plan.is_new, by = False, equal[0].id
        if by in wish.supersedes:
            raise InvalidValue("supersedes", by, "other memories than one that says the same")
        if all(one.links.superseded_by == by for one in old):
            return plan  # said before, and done before
        supersedes = tuple(dict.fromkeys((*equal[0].links.supersedes, *wish.supersedes)))
        plan.changes.append(
            Link(
                id=by,
                supersedes=supersedes,
                contradiction=wish.contradiction,
                act="supersede",
            )
        )
        plan.expect[by] = equal[0].version
    else:
        plan.changes.append(Absent(wish.equal()))
    for one in old:
        if one.links.superseded_by is not None:
            raise Superseded(one.id, by=one.links.superseded_by)
        plan.changes.append(_retired(one, by, wish, now_us))
        plan.changes += following(one, now_us=now_us, new_uuid=new_uuid)
        plan.expect[one.id] = one.version
    await _outdate(records, space, plan, by)
    return plan


def _successor(wish: Wish) -> Memory:
    memory = wish.memory
    confidence = memory.confidence
    if wish.contradiction == "harsh":
        confidence = max(0.0, round(confidence - HARSH_COSTS, 6))
    links = replace(memory.links, supersedes=wish.supersedes, contradiction=wish.contradiction)
    return replace(memory, confidence=confidence, links=links)


def _retired(old: Memory, by: MemoryId, wish: Wish, now_us: int) -> Link:
    """Return the change that makes a memory history: true until now, or never."""
    if wish.contradiction == "harsh" or old.status == "retracted":
        return Link(
            id=old.id,
            status="retracted",
            superseded_by=by,
            superseded_at_us=now_us,
            act="superseded",
        )
    return Link(
        id=old.id,
        status="superseded",
        superseded_by=by,
        superseded_at_us=now_us,
        valid_until_us=_ends(old, wish.memory, now_us),
        act="superseded",
    )


def _ends(old: Memory, new: Memory, now_us: int) -> int:
    """Return until when the old one was true: since the new one is, unless it ended before."""
    since_us = new.times.valid_from_us
    until_us = now_us if since_us is None else since_us
    if old.times.valid_from_us is not None:
        until_us = max(until_us, old.times.valid_from_us)
    if old.times.valid_until_us is not None:
        until_us = min(until_us, old.times.valid_until_us)
    return until_us


async def _named(records: Records, space: Space, ids: Sequence[MemoryId]) -> list[Memory]:
    found = await records.get(space, ids)
    missing = sorted(set(ids) - {memory.id for memory in found})
    if missing:
        raise NotFound(missing[0])
    return found


async def _outdate(records: Records, space: Space, plan: Succession, by: MemoryId) -> None:
    """Mark the episodes that say nothing any more that holds; unmark those that do again."""
    gone = {memory.id for memory in plan.replaced}
    named = await records.get(space, plan.memory.source.supporting)
    saying = {episode.id: episode for episode in named}
    for episode in await outdated_by_loss(records, space, plan.replaced, gone):
        if await _says_so_too(records, episode, plan.memory):
            saying[episode.id] = episode
        elif episode.id not in saying and episode.id not in gone:
            plan.changes.append(Link(id=episode.id, outdated_by=by, act="outdate"))
            plan.expect[episode.id] = episode.version
    for episode in saying.values():
        if episode.links.outdated_by is not None:
            plan.changes.append(Link(id=episode.id, outdated_by=None))
            plan.expect[episode.id] = episode.version


async def _says_so_too(records: Records, episode: Memory, memory: Memory) -> bool:
    """Return whether an episode said before what holds again now."""
    related = await records.dependants(episode.space, episode.id)
    ids = [found for relation, found in related if relation == "supports"]
    facts = await records.get(episode.space, ids)
    return any(fact.content_hash == memory.content_hash for fact in facts)


async def outdated_by_loss(
    records: Records, space: Space, lost: Iterable[Memory], gone: set[MemoryId]
) -> list[Memory]:
    """Return the episodes that support only facts that no longer hold once some are lost.

    Args:
        records: Where they are.
        space: Whose they are.
        lost: Facts that are about to stop holding.
        gone: Their ids.
    """
    found: dict[MemoryId, Memory] = {}
    for memory in lost:
        said_in = [*memory.source.supporting, *(span.memory_id for span in memory.source.spans)]
        for episode in await records.get(space, list(dict.fromkeys(said_in))):
            if episode.kind == "episodic" and await _supports_nothing(records, episode, gone):
                found[episode.id] = episode
        # What an earlier change had outdated now stands behind the newest.
        related = await records.dependants(space, memory.id)
        earlier = [found for relation, found in related if relation == "outdated"]
        found.update({episode.id: episode for episode in await records.get(space, earlier)})
    return list(found.values())


async def _supports_nothing(records: Records, episode: Memory, gone: set[MemoryId]) -> bool:
    related = await records.dependants(episode.space, episode.id)
    ids = [found for relation, found in related if relation == "supports" and found not in gone]
    return all(fact.status != "active" for fact in await records.get(episode.space, ids))


def expectations(plans: Iterable[Succession]) -> Mapping[MemoryId, int]:
    """Return the versions that a batch of plans rests on."""
    return {memory_id: v for plan in plans for memory_id, v in plan.expect.items()}
