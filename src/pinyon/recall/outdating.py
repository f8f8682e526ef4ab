"""Messages that say what no longer holds: behind what replaced it, which they bring along."""

from collections.abc import Mapping
from dataclasses import replace

from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import ForeignHit
from pinyon.ports.records import Records
from pinyon.recall.conditions import Conditions
from pinyon.recall.planning import NOT_YET
from pinyon.recall.recalling import Key, Recalling, Scored


class Outdating:
    """Moves them, and fetches what must stand before them."""

    name = "outdate"

    def __init__(self, records: Records) -> None:
        self._records = records

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether any is outdated; who asks for another time wants it as it was."""
        if NOT_YET in recalling.question.where or recalling.planned.named_approach.as_said:
            return False
        return any(_by(recalling, one) is not None for one in recalling.ranked)

    async def run(self, recalling: Recalling) -> Recalling:
        """Put each behind what outdates it; what no leg brought comes with its place and score."""
        memories = {**recalling.memories, **await self._missing(recalling)}
        standing = replace(recalling, memories=memories)
        known = {one.key: one for one in recalling.ranked}
        conditions = Conditions(recalling.question.where)
        placed: dict[Key, Scored] = {}
        for one in recalling.ranked:
            newer = _by(recalling, one)
            if (
                newer is not None
                and newer in memories
                and not conditions.keeping_out(memories[newer])
            ):
                placed.setdefault(newer, _no_lower(known.get(newer), newer, one))
            placed.setdefault(one.key, one)
        moved = sum(a != b.key for a, b in zip(placed, recalling.ranked, strict=False))
        ranked = tuple(placed.values())
        return replace(standing, ranked=ranked, note=f"{moved} moved" if moved else "")

    async def _missing(self, recalling: Recalling) -> Mapping[Key, Memory]:
        wanted: dict[Space, list[MemoryId]] = {}
        for one in recalling.ranked:
            newer = _by(recalling, one)
            if newer is not None and newer not in recalling.memories:
                wanted.setdefault(newer[0], []).append(newer[1])
        found: dict[Key, Memory] = {}
        for space, ids in wanted.items():
            known_at_us = recalling.question.known_at_us
            for memory in await self._records.get(space, ids, known_at_us=known_at_us):
                if memory.space != space:
                    raise ForeignHit(memory.id)
                found[space, memory.id] = memory
        return found


def _by(recalling: Recalling, one: Scored) -> Key | None:
    outdated_by = recalling.memories[one.key].links.outdated_by
    return None if outdated_by is None else (one.key[0], outdated_by)


def _no_lower(newer: Scored | None, key: Key, outdated: Scored) -> Scored:
    """Return what outdates a message, scored no lower than that; the factors say so."""
    if newer is None:
        return replace(outdated, key=key, scores={})
    if newer.score >= outdated.score:
        return newer
    lifted = outdated.score / newer.score if newer.score else 1.0
    return replace(newer, score=outdated.score, factors={**newer.factors, "stands before": lifted})
