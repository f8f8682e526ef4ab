"""Forgetting: what goes with a memory, what only loses it, and where its words are covered.

Planned by reading, applied in one transaction against the versions that were read. What is planned
is also what a preview shows.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from pinyon.domain.change import Link
from pinyon.domain.event import is_summary
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.ports.records import Records
from pinyon.write.masking import is_little, masked, said_in


@dataclass(slots=True)
class Forgetting:
    """What is going to happen.

    Attributes:
        gone: What is erased: what was asked for, what rests on nothing else, and messages of which
            too little would be left.
        asked: Ids of what was asked for.
        masked: Messages of which a part is covered, as they will be.
        before: Those messages as they are.
        loosened: What stays and loses a reference.
        events: Events that are erased.
    """

    asked: frozenset[MemoryId]
    gone: dict[MemoryId, Memory] = field(default_factory=dict)
    masked: dict[MemoryId, Memory] = field(default_factory=dict)
    before: dict[MemoryId, Memory] = field(default_factory=dict)
    loosened: list[Link] = field(default_factory=list)
    events: tuple[EventId, ...] = ()
    expect: dict[MemoryId, int] = field(default_factory=dict)


async def plan_forgetting(
    records: Records,
    space: Space,
    targets: Iterable[Memory],
    *,
    events: Sequence[EventId] = (),
    covers: bool = True,
    now_us: int,
) -> Forgetting:
    """Return what forgetting memories and events amounts to.

    With `covers`, what is forgotten is covered in the messages that said it.
    """
    chosen = {memory.id: memory for memory in targets}
    plan = Forgetting(frozenset(chosen), events=tuple(events))
    neighbours = _Neighbours(records, space)
    await _follow_down(neighbours, plan, chosen, events)
    if covers:
        await _follow_up(neighbours, plan, now_us)
        await _follow_down(neighbours, plan, await _retold(neighbours, plan), events)
    for memory in await neighbours.pointing_at(plan):
        if (link := loosened(memory, plan.gone, plan.events)) is not None:
            plan.loosened.append(link)
            plan.expect[memory.id] = memory.version
    plan.expect.update({memory.id: memory.version for memory in plan.gone.values()})
    plan.expect.update({memory.id: memory.version for memory in plan.before.values()})
    return plan


class _Neighbours:
    """Reads what hangs together with a memory."""

    def __init__(self, records: Records, space: Space) -> None:
        self._records, self._space = records, space

    async def resting_on(self, turn: MemoryId | EventId) -> list[Memory]:
        """Return what was made from a memory, or is supported by it."""
        related = await self._records.dependants(self._space, MemoryId(turn))
        return await self.get(one for name, one in related if name in ("derived", "supports"))

    async def get(self, ids: Iterable[MemoryId]) -> list[Memory]:
        """Return memories by id; those that are not there are left out."""
        asked = list(dict.fromkeys(ids))
        return await self._records.get(self._space, asked) if asked else []

    async def pointing_at(self, plan: Forgetting) -> list[Memory]:
        """Return everything that stays and names something that goes."""
        ids: dict[MemoryId, None] = {}
        for one in (*plan.gone, *plan.events):
            related = await self._records.dependants(self._space, MemoryId(one))
            ids.update((other, None) for name, other in related if name != "follows")
        for memory in plan.gone.values():
            ids.update(dict.fromkeys(memory.links.supersedes))
        return await self.get(one for one in ids if one not in plan.gone)


async def _follow_down(
    neighbours: _Neighbours,
    plan: Forgetting,
    chosen: Mapping[MemoryId, Memory],
    events: Sequence[EventId],
) -> None:
    """Take along what rests on nothing but what goes, and what has its words of it."""
    plan.gone.update(chosen)
    waiting: list[MemoryId | EventId] = [*chosen, *events]
    while waiting:
        for memory in await neighbours.resting_on(waiting.pop()):
            goes = _has_its_words(memory) or rests_on_nothing(memory, {*plan.gone, *events})
            if memory.id not in plan.gone and goes:
                plan.gone[memory.id] = memory
                waiting.append(memory.id)


async def _follow_up(neighbours: _Neighbours, plan: Forgetting, now_us: int) -> None:
    """Cover what is forgotten in the messages that said it; erase those that say little else."""
    ranges: dict[MemoryId, list[tuple[int, int]]] = {}
    said: dict[MemoryId, Memory] = {}
    for memory in list(plan.gone.values()):
        for episode in await neighbours.get(memory.source.supporting):
            if episode.kind == "episodic" and episode.id not in plan.gone:
                said[episode.id] = episode
                ranges.setdefault(episode.id, []).extend(said_in(memory, episode))
    for episode in said.values():
        now = masked(episode, ranges[episode.id], now_us=now_us)
        if not ranges[episode.id] or is_little(now.text):
            plan.gone[episode.id] = episode
        else:
            plan.masked[episode.id], plan.before[episode.id] = now, episode


async def _retold(neighbours: _Neighbours, plan: Forgetting) -> dict[MemoryId, Memory]:
    """Return what tells in short a message that is covered, or erased for saying little else."""
    return {
        memory.id: memory
        for turn in (*plan.masked, *plan.gone)
        for memory in await neighbours.resting_on(turn)
        if _has_its_words(memory) and memory.id not in plan.gone
    }


def _has_its_words(memory: Memory) -> bool:
    """Return whether a memory has words of each of those that it was made of: it goes with any.

    What tells a conversation in short quotes it, and the steps of a playbook are an agent's calls.
    """
    return is_summary(memory) or (memory.kind == "procedural" and bool(memory.source.derived_from))


def rests_on_nothing(memory: Memory, gone: AbstractSet[str]) -> bool:
    """Return whether nothing that stays says what a memory says.

    Somebody who said the same again without naming what it rests on is a support of its own.
    """
    source = memory.source
    named = {*source.supporting, *source.derived_from}
    if named - gone:
        return False
    unnamed = memory.counts.support - max(0, len(source.supporting) - 1)
    return unnamed <= 0


def loosened(
    memory: Memory, gone: Mapping[MemoryId, Memory], events: Iterable[EventId] = ()
) -> Link | None:
    """Return the change that makes a memory name nothing that is gone, `None` where it does not.

    A chain closes over what is gone. What was superseded by it stays history all the same: nothing
    becomes true because something was forgotten.
    """
    links, source = memory.links, memory.source
    erased = {*gone, *events}
    before = Link(
        id=memory.id,
        supporting=source.supporting,
        derived_from=source.derived_from,
        spans=source.spans,
        supersedes=links.supersedes,
        superseded_by=links.superseded_by,
        conflicts_with=links.conflicts_with,
        outdated_by=links.outdated_by,
        act="loosen",
    )
    after = replace(
        before,
        supporting=tuple(one for one in source.supporting if one not in erased),
        derived_from=tuple(one for one in source.derived_from if one not in erased),
        spans=tuple(span for span in source.spans if span.memory_id not in erased),
        supersedes=_older(links.supersedes, gone),
        superseded_by=_newer(links.superseded_by, gone),
        conflicts_with=tuple(one for one in links.conflicts_with if one not in erased),
        outdated_by=_outdating(links.outdated_by, gone),
    )
    return None if after == before else after


def _older(ids: Sequence[MemoryId], gone: Mapping[MemoryId, Memory]) -> tuple[MemoryId, ...]:
    """Return ids with those that are gone replaced by what they had superseded."""
    found: dict[MemoryId, None] = {}
    seen: set[MemoryId] = set()
    waiting = list(reversed(ids))
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in gone:
            waiting += reversed(gone[one].links.supersedes)
        else:
            found[one] = None
    return tuple(found)


def _newer(one: MemoryId | None, gone: Mapping[MemoryId, Memory]) -> MemoryId | None:
    """Return what superseded what is gone, as far up as it takes."""
    seen: set[MemoryId] = set()
    while one is not None and one in gone and one not in seen:
        seen.add(one)
        one = gone[one].links.superseded_by
    return None if one is None or one in gone else one


def _outdating(one: MemoryId | None, gone: Mapping[MemoryId, Memory]) -> MemoryId | None:
    """Return what outdates an episode once that is gone: what follows it, else what it replaced.

    The mark stays as long as anything is left that tells why.
    """
    newer = _newer(one, gone)
    if newer is not None or one is None:
        return newer
    return next(iter(_older((one,), gone)), None)
