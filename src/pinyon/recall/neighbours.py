"""What stands beside a hit: a chunk breaks off before the point, and a turn answers another."""

from collections.abc import Sequence
from dataclasses import replace

from pinyon.domain.answers import Hit
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import ForeignHit
from pinyon.ports.records import Records
from pinyon.recall.conditions import Conditions
from pinyon.recall.recalling import Key, Recalling
from pinyon.recall.side_by_side import side_by_side
from pinyon.text.counting import estimated_tokens

HITS_WITH_NEIGHBOURS = 3
NEIGHBOUR_TOKENS_MAX = 800
"""What all neighbours of an answer may take together: two or three chunks."""


class Neighbours:
    """Puts the chunks around the first hits, and the turns before them, beside these.

    They are no hits: they have no score, and k does not count them.
    """

    name = "beside"

    def __init__(self, records: Records) -> None:
        self._records = records

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether a hit has anything beside it."""
        return any(beside for _, beside in _sought(recalling.hits))

    async def run(self, recalling: Recalling) -> Recalling:
        """Fetch what stands beside the hits, and give each what fits into the budget."""
        sought = _sought(recalling.hits)
        there = await self._fetched(recalling, [key for _, beside in sought for key in beside])
        room = NEIGHBOUR_TOKENS_MAX
        given: dict[Key, tuple[Memory, ...]] = {}
        for hit, beside in sought:
            kept: list[Memory] = []
            for memory in (there[key] for key in beside if key in there):
                tokens = estimated_tokens(memory.text)
                if tokens <= room:
                    kept.append(memory)
                    room -= tokens
            given[_key(hit.memory)] = tuple(kept)
        hits = tuple(
            replace(hit, neighbours=given.get(_key(hit.memory), ())) for hit in recalling.hits
        )
        return replace(recalling, hits=hits, note=f"{sum(map(len, given.values()))} beside them")

    async def _fetched(self, recalling: Recalling, keys: Sequence[Key]) -> dict[Key, Memory]:
        """Return those that are there and may answer; a memory of another space ends the recall."""
        question = recalling.question
        by_space: dict[Space, list[MemoryId]] = {}
        for space, memory_id in keys:
            by_space.setdefault(space, []).append(memory_id)
        answers = await side_by_side(
            [
                self._records.get(space, ids, known_at_us=question.known_at_us)
                for space, ids in by_space.items()
            ]
        )
        conditions = Conditions(question.where)
        there: dict[Key, Memory] = {}
        for space, fetched in zip(by_space, answers, strict=True):
            for memory in fetched:
                if memory.space != space or space not in question.spaces:
                    raise ForeignHit(memory.id)
                if not conditions.keeping_out(memory):
                    there[_key(memory)] = memory
        return there


def _sought(hits: Sequence[Hit]) -> list[tuple[Hit, list[Key]]]:
    """Return the first hits that have neighbours, and what stands beside each and nowhere else."""
    seen = {_key(hit.memory) for hit in hits}
    sought: list[tuple[Hit, list[Key]]] = []
    for hit in [one for one in hits if _beside(one.memory)][:HITS_WITH_NEIGHBOURS]:
        beside = [(hit.memory.space, one) for one in _beside(hit.memory)]
        sought.append((hit, [key for key in beside if key not in seen]))
        seen.update(beside)
    return sought


def _beside(memory: Memory) -> list[MemoryId]:
    """Return the chunks before and after a chunk, or the turn before one where it is a memory."""
    if memory.catalog is not None:
        return [one for one in (memory.catalog.before, memory.catalog.after) if one is not None]
    previous = memory.links.previous
    return [MemoryId(previous)] if previous is not None and previous.startswith("mem_") else []


def _key(memory: Memory) -> Key:
    return memory.space, memory.id
