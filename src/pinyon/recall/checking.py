"""Fetching the records of the best candidates, and holding each against what was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import ForeignHit
from pinyon.ports.records import Records
from pinyon.ranking.weights import Scale, Weights
from pinyon.recall.conditions import Conditions
from pinyon.recall.moment import moment_of
from pinyon.recall.recalling import FILTERED, Key, Question, Recalling
from pinyon.recall.reranking import RERANKED
from pinyon.recall.side_by_side import side_by_side

FIRST_READ = 30
SPARE = 3
"""Candidates fetched for each hit that is wanted: equal texts collapse, and some may be gone."""

READ_ON = 40
"""Fetched at a time behind them, as long as one of these could be weighed up to a hit.

Source: ten long work chats, where most of the first thirty are replies that weigh less: recall@10
of ten hits 52.5 without reading on, 56.4 with it.
"""


class Checking:
    """Reads records; a memory of another space ends the recall, whatever brought it."""

    name = "check"

    def __init__(self, records: Records, weights: Weights) -> None:
        self._records, self._weights = records, weights

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether there is anything to fetch."""
        return bool(recalling.ranked)

    async def run(self, recalling: Recalling) -> Recalling:
        """Fetch what may still become a hit, on and on as long as weights could bring it there."""
        keys = [scored.key for scored in recalling.ranked]
        until = max(FIRST_READ, recalling.question.k * SPARE)
        if recalling.planned.reranks:
            until = max(until, RERANKED)
        read = _Read(recalling, Scale(moment_of(recalling), self._weights))
        read.add(await self._fetched(recalling, keys[:until]))
        while until < len(keys) and read.leaves_room_for(recalling.ranked[until].score):
            read.add(await self._fetched(recalling, keys[until : until + READ_ON]))
            until += READ_ON
        if recalling.pinned in keys[until:]:
            read.add(await self._fetched(recalling, [recalling.pinned]))
        beyond = {
            key: _unread(recalling.question, place, len(keys), is_wanted=place <= until)
            for place, key in enumerate(keys, start=1)
            if key not in read.memories
        }
        checked = replace(recalling, memories=read.memories, factors=read.factors)
        return checked.drop(self.name, beyond).drop(FILTERED, read.kept_out)

    async def _fetched(self, recalling: Recalling, keys: Sequence[Key]) -> dict[Key, Memory]:
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
        memories: dict[Key, Memory] = {}
        for space, fetched in zip(by_space, answers, strict=True):
            for memory in fetched:
                if memory.space != space or space not in question.spaces:
                    raise ForeignHit(memory.id)
                memories[space, memory.id] = memory
        return memories


def _unread(question: Question, place: int, of: int, *, is_wanted: bool) -> str:
    if not is_wanted:
        return f"place {place} of {of}, too far behind to be looked at"
    return "it is gone" if question.known_at_us is None else "it was not known then"


class _Read:
    """What was read so far, what keeps out some of it, and what each of the others weighs."""

    def __init__(self, recalling: Recalling, scale: Scale) -> None:
        self.memories: dict[Key, Memory] = {}
        self.kept_out: dict[Key, str] = {}
        self.factors: dict[Key, Mapping[str, float]] = {}
        self._weighed: list[float] = []
        self._heaviest = 1.0
        self._scores = {one.key: one.score for one in recalling.ranked}
        self._conditions, self._scale = Conditions(recalling.question.where), scale
        self._k = recalling.question.k

    def add(self, fetched: Mapping[Key, Memory]) -> None:
        """Hold memories against what was asked, and weigh those that may answer."""
        self.memories.update(fetched)
        for key, memory in fetched.items():
            why = self._conditions.keeping_out(memory)
            if why:
                self.kept_out[key] = why
                continue
            factors = self.factors[key] = self._scale.factors_of(memory)
            weight = prod(factors.values())
            self._heaviest = max(self._heaviest, weight)
            self._weighed.append(self._scores[key] * weight)

    def leaves_room_for(self, score: float) -> bool:
        """Return whether the next candidate may become a hit once all are weighed.

        It is thought to weigh no more than the weightiest of those that were read, or 1.
        """
        if len(self._weighed) < self._k:
            return True
        return score * self._heaviest > sorted(self._weighed)[-self._k]
